import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { exportAccount, ImportError, importAccount } from '../accounts/account-copy.ts';
import { accountNamed } from './account.commands.ts';
import { type Command, createProgress, print, takeArguments, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

export const copyCommands: Record<string, Command> = {
  export: {
    usage: 'export USERNAME FILE',
    meaning:
      'writes everything of an account as JSON lines, its secrets too, into a new file that only you read',
    run: async (args) => {
      const [username = '', file = ''] = takeArguments(args, 'USERNAME', 'FILE');
      await withServices(async (services) => {
        const account = await accountNamed(services, username);
        const out = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
        await once(out, 'open').catch((error: NodeJS.ErrnoException) => {
          throw new UsageError(`${file} can't be written: ${error.code}`);
        });
        const progress = createProgress('exporting');
        let count = 0;
        for await (const line of exportAccount(services, account)) {
          if (!out.write(`${line}\n`)) await once(out, 'drain');
          progress.show(++count);
        }
        out.end();
        await finished(out);
        progress.end();
        print(`exported ${username} to ${file}`);
      });
    },
  },
  import: {
    usage: 'import FILE',
    meaning:
      'reads in what export wrote, with all ids; the account must not be here yet. Deliveries that waited go out here',
    run: async (args) => {
      const [file = ''] = takeArguments(args, 'FILE');
      await withServices(async (services) => {
        const input = createReadStream(file);
        await once(input, 'open').catch((error: NodeJS.ErrnoException) => {
          throw new UsageError(`${file} can't be read: ${error.code}`);
        });
        const progress = createProgress('importing');
        const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
        try {
          print(`imported ${await importAccount(services, lines, progress.show)}`);
        } catch (error) {
          throw error instanceof ImportError ? new UsageError(`${file}, ${error.message}`) : error;
        } finally {
          progress.end();
        }
      });
    },
  },
};
