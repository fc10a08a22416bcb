import { checkDataDir, compactDataDir, EmbeddedMongodbError } from '@parlor/embedded-mongodb';
import {
  connectToMongodb,
  embeddedDirectory,
  type OpenDatabase,
  openDatabase,
  requireEmbedded,
  whileAlive,
} from '../database/connect.ts';
import { CopyError, copyDatabase, EMPTY_SOURCE, isEmpty } from '../database/copy.ts';
import { DatabaseError, toldToOperator } from '../database/database-error.ts';
import { recordedKeys } from '../database/recorded-keys.ts';
import { secretKeyFile } from '../database/secret-key-file.ts';
import { type Config, loadConfig, maskPassword } from '../platform/config.ts';
import { keyFingerprint } from '../platform/secrets.ts';
import { takeArguments, takeOption, UsageError } from './arguments.ts';
import { checkSealed } from './check-sealed.ts';
import type { Command } from './command.ts';
import { createProgress, print } from './progress.ts';

/** Where the embedded database is. @throws UsageError with what MongoDB has `instead` where MONGODB_URL is set */
const embeddedOnly = (instead: string): string => {
  const { MONGODB_URL, DATA_DIR } = loadConfig(process.env);
  if (MONGODB_URL !== '') throw new UsageError(`MONGODB_URL is set: ${instead}`);
  return embeddedDirectory(DATA_DIR);
};

/** What `work` gives on the files of the embedded database, which nobody has open. */
const onFiles = async <T>(work: (show: (state: string) => void) => Promise<T>): Promise<T> => {
  const progress = createProgress();
  try {
    return await work((state) => progress.show(state));
  } catch (error) {
    throw error instanceof EmbeddedMongodbError ? new DatabaseError(error.message) : error;
  } finally {
    progress.end();
  }
};

const sealedErrors = (): Promise<string[]> =>
  onFiles((show) => checkSealed(loadConfig(process.env), show)).catch((error) => {
    const told = toldToOperator(error);
    throw told === undefined ? error : new DatabaseError(`what is sealed could not be checked: ${told}`);
  });

const checkEmbedded = async (directory: string): Promise<void> => {
  const { collections, documents, errors } = await onFiles((show) =>
    checkDataDir(directory, (ns, n) => show(`checking ${ns}: ${n} documents`)),
  );
  try {
    // What is damaged itself is opened by nobody.
    if (errors.length === 0) errors.push(...(await sealedErrors()));
  } finally {
    // Of the documents it stands, whatever came of what is sealed.
    for (const error of errors) process.stderr.write(`${error}\n`);
    print(`${collections} collections, ${documents} documents, ${errors.length} errors`);
  }
  if (errors.length > 0) process.exitCode = 1;
};

const compactEmbedded = async (directory: string): Promise<void> => {
  const { bytesBefore, bytesAfter } = await onFiles((show) => compactDataDir(directory, show));
  print(`compacted: ${bytesBefore} bytes before, ${bytesAfter} after; all verified`);
};

const nameOf = ({ MONGODB_URL, DATA_DIR }: Config): string =>
  MONGODB_URL === '' ? `the embedded database in ${DATA_DIR}` : maskPassword(MONGODB_URL);

/** @throws DatabaseError where nothing is to be copied */
const requireSource = async ({ connection: { db } }: OpenDatabase): Promise<void> => {
  if (db && (await isEmpty(db))) throw new DatabaseError(EMPTY_SOURCE);
};

const copy = async (config: Config, from: OpenDatabase, to: OpenDatabase, name: string): Promise<void> => {
  const [source, target] = [from.connection.db, to.connection.db];
  if (!source || !target) throw new Error('a connection that is open has a database');
  const progress = createProgress();
  try {
    const copying = copyDatabase(source, target, name, (state) => progress.show(`copying ${state}`));
    const { collections, documents, indexes } = await whileAlive(from, whileAlive(to, copying));
    progress.end();
    print(`copied ${collections} collections, ${documents} documents and ${indexes} indexes; all verified`);
  } catch (error) {
    progress.end();
    throw error instanceof CopyError ? new DatabaseError(error.message) : error;
  }
  const fingerprints = await recordedKeys(target);
  const [fingerprint] = fingerprints;
  const own = fingerprint === undefined ? '' : ` (its fingerprint is ${fingerprint})`;
  const { SECRET_KEY, DATA_DIR } = config;
  const isKnown = fingerprint === undefined || fingerprints.includes(keyFingerprint(SECRET_KEY));
  const given = isKnown ? 'the same as here' : 'that of the source';
  const key = SECRET_KEY === '' ? `what ${secretKeyFile(DATA_DIR)} holds` : given;
  if (!to.embedded) print(`start Parlor with MONGODB_URL set to it and SECRET_KEY to ${key}${own}`);
  else if (fingerprint !== undefined)
    print(`start Parlor on it with the SECRET_KEY of the source, whose fingerprint is ${fingerprint}`);
};

export const databaseCommands: Record<string, Command> = {
  'database check': {
    usage: 'database check',
    meaning:
      'verifies every document of the embedded database against every index and, where all its keys are set or in DATA_DIR, ' +
      'opens what is sealed; exit code 1 on errors',
    run: async (args) => {
      takeArguments(args);
      await checkEmbedded(embeddedOnly("MongoDB has its own check, mongosh's db.collection.validate()"));
    },
  },
  'database compact': {
    usage: 'database compact',
    meaning:
      'writes the embedded database anew without its free pages, in which what was deleted still stands; the server ' +
      'must be stopped, and the disk needs room for a second copy. An interruption does no harm',
    run: async (args) => {
      takeArguments(args);
      await compactEmbedded(embeddedOnly("MongoDB has its own, mongosh's db.runCommand({ compact: … })"));
    },
  },
  'database copy': {
    usage: 'database copy --to MONGODB_URL | --from MONGODB_URL',
    meaning:
      'copies all collections and indexes to an empty MongoDB database, or from one, and verifies them; ' +
      'after an interruption the same command goes on',
    run: async (args) => {
      const to = takeOption(args, '--to');
      const from = takeOption(args, '--from');
      takeArguments(args);
      if ((to === undefined) === (from === undefined))
        throw new UsageError('one of --to and --from is needed');
      const config = loadConfig(process.env);
      const [option, url] = to === undefined ? ['--from', from ?? ''] : ['--to', to];
      if (!/^mongodb(\+srv)?:\/\/\S+$/.test(url)) {
        throw new UsageError(`${option} must be a URL that starts with mongodb:// or mongodb+srv://`);
      }
      if (to !== undefined && config.MONGODB_URL === '') requireEmbedded(config);
      const there = await connectToMongodb(option, url);
      try {
        // Before an embedded database is begun, which would be left behind.
        if (from !== undefined) await requireSource(there);
        const here = await openDatabase(config, { forCopy: true });
        try {
          if (to !== undefined) await copy(config, here, there, nameOf(config));
          else await copy(config, there, here, maskPassword(url));
        } finally {
          await here.close();
        }
      } finally {
        await there.close();
      }
    },
  },
};
