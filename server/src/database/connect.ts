import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  actAsOwnerOf,
  type EmbeddedMongodb,
  EmbeddedMongodbError,
  holdsDatabase,
  makeDirectory,
  openEmbeddedMongodb,
} from '@parlor/embedded-mongodb';
import mongoose, { type Connection, type ConnectOptions, type mongo } from 'mongoose';
import { type Config, maskPassword } from '../platform/config.ts';
import type { Duration } from '../platform/duration.ts';
import { endBeforeLeaving } from '../platform/leave.ts';
import { failOnClosedSockets } from './closed-sockets.ts';
import { isHalfCopied } from './copy-marker.ts';
import { DatabaseError } from './database-error.ts';
import { waitOnlyOnce } from './no-second-wait.ts';
import { waitTogether } from './no-wait-while-away.ts';
import { recordedKeys } from './recorded-keys.ts';
import { keptSecretKey, secretKeyFile } from './secret-key-file.ts';

/** An open database. */
export interface OpenDatabase {
  /** Waits for as long as an operation takes: for building indexes and copying. */
  connection: Connection;
  /** Another connection, on which each operation ends within `timeout`, with an error where it has to. */
  withDeadlines(timeout: Duration): Promise<Connection>;
  /** Of the embedded database; undefined for MongoDB. */
  embedded: Pick<EmbeddedMongodb, 'copyTo' | 'freeBytes'> | undefined;
  /** Settles when the embedded database has ended unasked: nothing can go on without it. */
  died: Promise<DatabaseError>;
  close(): Promise<void>;
}

/** An open database and the key that seals what is in it. */
export interface Database extends OpenDatabase {
  secretKey: string;
}

/** MongoDB ends for itself, and comes back. */
const NEVER = new Promise<never>(() => undefined);

const DEFAULT_NAME = 'parlor';

/** Where the embedded database lies inside of DATA_DIR. */
export const embeddedDirectory = (dataDir: string): string => join(dataDir, 'database');

/** @throws DatabaseError where DATA_DIR holds no database; nothing is made */
export const requireEmbedded = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): void => {
  const directory = embeddedDirectory(DATA_DIR);
  if (holdsDatabase(directory)) return;
  throw new DatabaseError(`there is no embedded database in ${directory}: ${AS_THE_SERVER}`);
};

const AS_THE_SERVER = 'MONGODB_URL or DATA_DIR has to be what the server runs with';

/**
 * A key is made once its database is there, so that a first start which was killed leaves none by itself.
 * @throws DatabaseError where the database of a key that was made is gone
 */
const checkNotLost = ({ DATA_DIR }: Config): void => {
  const key = secretKeyFile(DATA_DIR);
  // In this order: both may just be coming, by another process.
  if (!existsSync(key) || holdsDatabase(embeddedDirectory(DATA_DIR))) return;
  throw new DatabaseError(
    `DATA_DIR ${DATA_DIR} can't be used: its database is gone, and ${key} belongs to it: ` +
      'put a backup in its place, or remove that file to begin anew',
  );
};

/** Whether a server, or a command, has been here before: each makes all collections. */
const holdsAccounts = async ({ db }: Connection): Promise<boolean> =>
  (await (db as mongo.Db).listCollections({ name: 'accounts' }, { nameOnly: true }).toArray()).length > 0;

/**
 * Connects to MongoDB by MONGODB_URL, else opens the embedded database in DATA_DIR. Unless it `mayBeNew`, it has to be
 * one of Parlor's already.
 * @throws DatabaseError with one line that names the variable or the directory.
 */
export const connectDatabase = async (config: Config, { mayBeNew = true } = {}): Promise<Database> => {
  if (config.MONGODB_URL === '') {
    checkNotLost(config);
    if (!mayBeNew) requireEmbedded(config);
  }
  const database = await openDatabase(config);
  try {
    if (await isHalfCopied(database.connection)) {
      throw new DatabaseError(
        'a copy into this database has not been finished: run the same "database copy" again first',
      );
    }
    if (!mayBeNew && !(await holdsAccounts(database.connection))) {
      const { MONGODB_URL, DATA_DIR } = config;
      const place = MONGODB_URL === '' ? `DATA_DIR ${DATA_DIR}` : `MONGODB_URL ${maskPassword(MONGODB_URL)}`;
      throw new DatabaseError(`there is no database of Parlor in ${place}: ${AS_THE_SERVER}`);
    }
    // Only now: half a copy may not say yet which key it needs.
    return { ...database, secretKey: await secretKeyOf(config, database.connection) };
  } catch (error) {
    await database.close();
    throw error;
  }
};

/** SECRET_KEY, else the key that belongs to the embedded database. @throws DatabaseError */
const secretKeyOf = async ({ SECRET_KEY, DATA_DIR }: Config, connection: Connection): Promise<string> => {
  if (SECRET_KEY) return SECRET_KEY;
  const needed = await recordedKeys(connection);
  const beItself = actAsOwnerOf(embeddedDirectory(DATA_DIR));
  return keptSecretKey(DATA_DIR, needed).catch(cannotUse(DATA_DIR)).finally(beItself);
};

/**
 * The same without looking at what is in it, and without a key. `forCopy`, an embedded database removes nothing by itself,
 * so that two readings of it are equal.
 * @throws DatabaseError
 */
export const openDatabase = (config: Config, { forCopy = false } = {}): Promise<OpenDatabase> =>
  config.MONGODB_URL === ''
    ? openEmbedded(config, forCopy)
    : connectToMongodb('MONGODB_URL', config.MONGODB_URL);

/** What `work` gives. @throws DatabaseError when the database ends before it has. */
export const whileAlive = <T>({ died }: Pick<OpenDatabase, 'died'>, work: Promise<T>): Promise<T> =>
  Promise.race([work, died.then((error) => Promise.reject(error))]);

/**
 * Connects to the MongoDB of a URL that stood behind `name`.
 * @throws DatabaseError with one line that says both.
 */
export const connectToMongodb = async (name: string, url: string): Promise<OpenDatabase> => {
  const fail = (error: Error): never => {
    throw new DatabaseError(`${name} ${maskPassword(url)} can't be reached: ${firstLine(error.message)}`);
  };
  const nameOf = async () => {
    const named = /^[^/]+\/\/[^/]+\/([^?]+)/.exec(url)?.[1];
    return named ? decodeURIComponent(named) : DEFAULT_NAME;
  };
  const connections = new Connections(url, await nameOf().catch(fail));
  return {
    connection: await connections.open(PATIENT).catch(fail),
    withDeadlines: async (timeout) => {
      const connection = await connections.open(deadlines(timeout)).catch(fail);
      // Not of the embedded database, which is only ever busy: where it is gone the process ends.
      waitTogether(connection, selectionTimeout(timeout));
      return connection;
    },
    embedded: undefined,
    died: NEVER,
    close: () => connections.close(),
  };
};

/** Tells in one line why a DATA_DIR can't be used. */
const cannotUse =
  (dataDir: string) =>
  (error: unknown): never => {
    throw new DatabaseError(`DATA_DIR ${dataDir} can't be used: ${firstLine((error as Error).message)}`);
  };

const openEmbedded = async (config: Config, forCopy: boolean): Promise<OpenDatabase> => {
  const dataDir = config.DATA_DIR;
  const fail = (error: Error): never => {
    const { EMBEDDED_MONGODB_LISTEN: listen } = config;
    const isAddress = listen !== '' && error instanceof EmbeddedMongodbError && error.code === 'LISTEN';
    if (!isAddress) return cannotUse(dataDir)(error);
    throw new DatabaseError(`EMBEDDED_MONGODB_LISTEN ${listen} can't be used: ${firstLine(error.message)}`);
  };
  try {
    makeDirectory(dataDir);
  } catch (error) {
    fail(error as Error);
  }
  const embedded = await openEmbeddedMongodb({
    dataDir: embeddedDirectory(dataDir),
    listen: config.EMBEDDED_MONGODB_LISTEN,
    keepExpired: forCopy,
  }).catch(fail);
  const hasEnded = endBeforeLeaving(() => embedded.terminate());
  const connections = new Connections(embedded.url, DEFAULT_NAME);
  const connection = await connections.open(PATIENT).catch(fail);
  const close = async () => {
    await connections.close();
    await embedded.close().catch(({ message }) => {
      throw new DatabaseError(firstLine(message));
    });
    hasEnded();
  };
  return {
    connection,
    withDeadlines: (timeout) => connections.open(deadlines(timeout)).catch(fail),
    embedded,
    died: embedded.died.then(({ message }) => new DatabaseError(message)),
    close,
  };
};

/** Without a deadline but for finding the server. */
const PATIENT: ConnectOptions = { serverSelectionTimeoutMS: 5_000 };

/** How long an operation looks for a server. */
const selectionTimeout = (timeout: Duration): Duration => timeout * 0.4;

/**
 * Deadlines that together are `timeout`, since the driver's own `timeoutMS` does nothing (mongodb 7.8). The monitor finds a
 * frozen server: it asks every tenth of the time, and waits for half of it. Operations under way are cut off then, and look
 * for a server for the rest of the time (once for all, no-wait-while-away.ts); one that takes longer than all of it is cut off, too, and not
 * tried again.
 */
const deadlines = (timeout: Duration): ConnectOptions => ({
  heartbeatFrequencyMS: Math.max(500, timeout * 0.1),
  connectTimeoutMS: timeout * 0.5,
  serverSelectionTimeoutMS: selectionTimeout(timeout),
  waitQueueTimeoutMS: timeout * 0.9,
  socketTimeoutMS: timeout,
});

/** All connections to one database. */
class Connections {
  readonly #url: string;
  readonly #dbName: string;
  readonly #open: Connection[] = [];

  constructor(url: string, dbName: string) {
    failOnClosedSockets();
    waitOnlyOnce();
    this.#url = url;
    this.#dbName = dbName;
  }

  /**
   * Every write is acknowledged by a majority and from the journal: what was answered 2xx survives a crash. Reads see it, whatever
   * MONGODB_URL says: a secondary may be behind.
   */
  open(options: ConnectOptions): Promise<Connection> {
    const connection = mongoose.createConnection(this.#url, {
      dbName: this.#dbName,
      writeConcern: { w: 'majority', j: true },
      readPreference: 'primary',
      autoIndex: false,
      autoCreate: false,
      ...options,
    });
    this.#open.push(connection);
    // The driver reports later failures to each command; without a listener they would end the process.
    connection.on('error', () => undefined);
    return connection.asPromise();
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((connection) => connection.close()));
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
