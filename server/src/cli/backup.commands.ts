import { resolve } from 'node:path';
import { BackupError, backUp } from '../database/backup.ts';
import { recordedKeys } from '../database/recorded-keys.ts';
import { secretKeyFile } from '../database/secret-key-file.ts';
import { takeArguments, UsageError } from './arguments.ts';
import type { ServiceCommand } from './command.ts';

const MIB = 1_024 * 1_024;

export const backupCommands: Record<string, ServiceCommand> = {
  backup: {
    usage: 'backup FOLDER',
    meaning:
      'copies the embedded database, while the server runs on it, and its key into a new folder, and verifies the ' +
      'copy; to go back to it, start Parlor with that folder as DATA_DIR',
    // An empty one would be the folder that it was typed in.
    located: (args) => args.map((arg) => (arg === '' || arg.startsWith('-') ? arg : resolve(arg))),
    prepare: (args) => {
      const [folder = ''] = takeArguments(args, 'FOLDER');
      return async ({ config, connection, copyEmbedded }, terminal) => {
        if (!copyEmbedded) throw new UsageError('MONGODB_URL is set: back a MongoDB up with mongodump');
        const hasKeyFile = config.SECRET_KEY === '';
        const reserveBytes = config.DISK_RESERVE_MIB * MIB;
        const source = { dataDir: config.DATA_DIR, copyTo: copyEmbedded, hasKeyFile, reserveBytes };
        try {
          const show = (state: string) => terminal.progress(state);
          const { collections, documents } = await backUp(source, folder, show, terminal.stopped);
          terminal.print(
            `backed up ${collections} collections, ${documents} documents to ${folder}; all verified`,
          );
        } catch (error) {
          throw error instanceof BackupError ? new UsageError(error.message) : error;
        }
        const own = (await recordedKeys(connection)).join(' or ');
        const key = hasKeyFile ? secretKeyFile(folder) : 'what SECRET_KEY is set to, and not in the folder';
        terminal.print(`the key that belongs to it is ${key} (its fingerprint is ${own})`);
      };
    },
  },
};
