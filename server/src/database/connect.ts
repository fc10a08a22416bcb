import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory, openEmbeddedMongodb } from '@parlor/embedded-mongodb';
import mongoose, { type Connection } from 'mongoose';
import { type Config, maskPassword } from '../config.ts';
import { isHalfCopied } from './copy-marker.ts';

/** The database could not be reached or opened; the text is one clear line. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}

/** An open database and the key that seals what is in it. */
export interface Database {
  connection: Connection;
  isEmbedded: boolean;
  secretKey: string;
  /** Settles when the embedded database has ended unasked: nothing can go on without it. */
  died: Promise<DatabaseError>;
  close(): Promise<void>;
}

/** MongoDB ends for itself, and comes back. */
const NEVER = new Promise<never>(() => undefined);

const DEFAULT_NAME = 'parlor';

/** Where the embedded database lies inside of DATA_DIR. */
export const embeddedDirectory = (dataDir: string): string => join(dataDir, 'database');

/** The file inside of DATA_DIR that holds the key which was made at the first start. */
export const secretKeyFile = (dataDir: string): string => join(dataDir, 'secret-key');

/**
 * Connects to MongoDB by MONGODB_URL, else opens the embedded database in DATA_DIR.
 * @throws DatabaseError with one line that names the variable or the directory.
 */
export const connectDatabase = async (config: Config): Promise<Database> => {
  const database = await openDatabase(config);
  if (!(await isHalfCopied(database.connection))) return database;
  await database.close();
  throw new DatabaseError(
    'a copy into this database has not been finished: run the same "database copy" again first',
  );
};

/**
 * The same without looking at what is in it, for copying. With `keepExpired` an embedded database removes nothing
 * by itself, so that two readings of it are equal.
 * @throws DatabaseError
 */
export const openDatabase = (config: Config, { keepExpired = false } = {}): Promise<Database> =>
  config.MONGODB_URL === ''
    ? openEmbedded(config, keepExpired)
    : connectToMongodb('MONGODB_URL', config.MONGODB_URL, config.SECRET_KEY);

/** What `work` gives. @throws DatabaseError when the database ends before it has. */
export const whileAlive = <T>({ died }: Pick<Database, 'died'>, work: Promise<T>): Promise<T> =>
  Promise.race([work, died.then((error) => Promise.reject(error))]);

/**
 * Connects to the MongoDB of a URL that stood behind `name`.
 * @throws DatabaseError with one line that says both.
 */
export const connectToMongodb = async (name: string, url: string, secretKey = ''): Promise<Database> => {
  const named = /^[^/]+\/\/[^/]+\/([^?]+)/.exec(url)?.[1];
  const connection = await connect(url, named ? decodeURIComponent(named) : DEFAULT_NAME).catch(
    (error: Error) => {
      throw new DatabaseError(`${name} ${maskPassword(url)} can't be reached: ${firstLine(error.message)}`);
    },
  );
  return { connection, isEmbedded: false, secretKey, died: NEVER, close: () => connection.close() };
};

const openEmbedded = async (config: Config, keepExpired: boolean): Promise<Database> => {
  const dataDir = config.DATA_DIR;
  const fail = (error: Error): never => {
    throw new DatabaseError(`DATA_DIR ${dataDir} can't be used: ${firstLine(error.message)}`);
  };
  try {
    makeDirectory(dataDir);
  } catch (error) {
    fail(error as Error);
  }
  const embedded = await openEmbeddedMongodb({
    dataDir: embeddedDirectory(dataDir),
    listen: config.EMBEDDED_MONGODB_LISTEN,
    keepExpired,
  }).catch(fail);
  const secretKey = config.SECRET_KEY || (await keptSecretKey(dataDir).catch(fail));
  const connection = await connect(embedded.url, DEFAULT_NAME).catch(fail);
  return {
    connection,
    isEmbedded: true,
    secretKey,
    died: embedded.died.then(({ message }) => new DatabaseError(message)),
    close: async () => {
      await connection.close();
      await embedded.close();
    },
  };
};

/** Every write is acknowledged by a majority and from the journal: what was answered 2xx survives a crash. */
const connect = async (url: string, dbName: string): Promise<Connection> => {
  const connection = mongoose.createConnection(url, {
    dbName,
    writeConcern: { w: 'majority', j: true },
    serverSelectionTimeoutMS: 5_000,
    autoIndex: false,
    autoCreate: false,
  });
  // The driver reports later failures to each command; without a listener they would end the process.
  connection.on('error', () => undefined);
  return connection.asPromise();
};

/**
 * The key made at the very first start, in a file that only its owner reads. Only the process that holds the
 * database's lock gets here; the rename makes the file whole or absent.
 */
const keptSecretKey = async (dataDir: string): Promise<string> => {
  const file = secretKeyFile(dataDir);
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (kept !== undefined) {
    if (kept.trim().length < 32) throw new Error(`${file} is damaged: it holds no key of 32 characters`);
    return kept.trim();
  }
  const made = randomBytes(32).toString('hex');
  await writeFile(`${file}.new`, made, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  return made;
};

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
