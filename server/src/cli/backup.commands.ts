import { BackupError, backUp } from '../database/backup.ts';
import { openDatabase } from '../database/connect.ts';
import { DatabaseError } from '../database/database-error.ts';
import { recordedKeys } from '../database/recorded-keys.ts';
import { keptKey, secretKeyFile } from '../database/secret-key-file.ts';
import type { Config } from '../platform/config.ts';
import { takeArguments, UsageError } from './arguments.ts';
import type { ServiceCommand } from './command.ts';
import { locatedFrom } from './typed-path.ts';

/** The fingerprints of the keys that a copy takes, which nobody has open. */
const keysOfCopy = async (config: Config): Promise<string[]> => {
  const database = await openDatabase({ ...config, EMBEDDED_MONGODB_LISTEN: '' }, { forCopy: true });
  return recordedKeys(database.connection).finally(() => database.close());
};

const MIB = 1_024 * 1_024;

export const backupCommands: Record<string, ServiceCommand> = {
  backup: {
    usage: 'backup FOLDER',
    meaning:
      'copies the embedded database, while the server runs on it, and its key into a new folder, and verifies the ' +
      'copy; to go back to it, start Parlor with that folder as DATA_DIR',
    located: locatedFrom(0),
    prepare: (args) => {
      const [folder = ''] = takeArguments(args, 'FOLDER');
      return async ({ config, copyEmbedded, secretKey, secrets }, terminal) => {
        if (!copyEmbedded) throw new UsageError('MONGODB_URL is set: back a MongoDB up with mongodump');
        const madeKey = config.SECRET_KEY === '' ? secretKey : undefined;
        const reserveBytes = config.DISK_RESERVE_MIB * MIB;
        const keysOf = (DATA_DIR: string) => keysOfCopy({ ...config, DATA_DIR });
        const source = { dataDir: config.DATA_DIR, copyTo: copyEmbedded, madeKey, keysOf, reserveBytes };
        let fingerprints: string[];
        try {
          const show = (state: string) => terminal.progress(state);
          const backup = await backUp(source, folder, show, terminal.stopped);
          const { collections, documents } = backup;
          fingerprints = backup.fingerprints;
          terminal.print(
            `backed up ${collections} collections, ${documents} documents to ${folder}; all verified`,
          );
        } catch (error) {
          throw error instanceof BackupError ? new UsageError(error.message) : error;
        }
        const key = madeKey ? secretKeyFile(folder) : 'what SECRET_KEY is set to, and not in the folder';
        terminal.print(
          fingerprints.length > 1
            ? `its keys are being changed, and it needs both (their fingerprints are ${fingerprints.join(' and ')}): ` +
                `${key}; and the one before`
            : `the key that belongs to it is ${key} (its fingerprint is ${fingerprints.join()})`,
        );
        if (madeKey && (await keptKey(config))?.fingerprint !== secrets.keyFingerprint)
          throw new DatabaseError(
            `${secretKeyFile(config.DATA_DIR)} is not the key of this database, without which no server starts on it: put ${key} in its place`,
          );
      };
    },
  },
};
