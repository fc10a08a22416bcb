import type { Services } from '../compose.ts';
import { auditEvent, ownAction } from '../events/audit.ts';
import { StillWaiting } from '../events/waiting-events.ts';
import { exportAccount } from '../features/accounts/account-copy.ts';
import { ImportError, importAccount } from '../features/accounts/account-import.ts';
import type { Account } from '../features/accounts/accounts.model.ts';
import { asAudited } from '../features/accounts/accounts.service.ts';
import { ParlorError } from '../platform/errors.ts';
import { accountNamed } from './account.commands.ts';
import { plainArguments, takeArguments, UsageError } from './arguments.ts';
import type { ServiceCommand } from './command.ts';
import type { Terminal } from './terminal.ts';
import { locatedFrom } from './typed-path.ts';

const entryOf = (command: string, account: Account) =>
  auditEvent(ownAction('cli', command), account._id, asAudited(account));

/**
 * A file has no events: what waits is announced, so that what follows from it is among the objects that are read then.
 * @throws UsageError where that takes too long
 */
const announceWaiting = async (account: Account, services: Services, terminal: Terminal): Promise<void> => {
  const progress = (count: number) => terminal.progress(`announcing ${count} events`);
  try {
    await services.waitingEvents.announceAll(account._id, progress);
  } catch (error) {
    if (!(error instanceof StillWaiting)) throw error;
    throw new UsageError(
      `${error.count} events of ${account.username} still wait to be announced: give it again; where something fails, the log says what`,
    );
  }
};

export const copyCommands: Record<string, ServiceCommand> = {
  export: {
    usage: 'export USERNAME FILE',
    meaning:
      'writes everything of an account as JSON lines, its secrets too, into a new file that only you read',
    located: locatedFrom(1),
    files: (args) => {
      const [, writes] = plainArguments(args);
      return writes === undefined ? {} : { writes };
    },
    prepare: (args) => {
      const [username = '', file = ''] = takeArguments(args, 'USERNAME', 'FILE');
      return async (services, terminal) => {
        await announceWaiting(await accountNamed(services, username), services, terminal);
        const account = await accountNamed(services, username);
        // Before the first line: nobody has a copy that the account does not know of.
        await services.auditTrail.add(entryOf('export', account));
        let count = 0;
        const announce = () => announceWaiting(account, services, terminal);
        try {
          for await (const line of exportAccount(services, account, announce)) {
            await terminal.write(line);
            terminal.progress(`exporting ${++count}`);
          }
        } catch (error) {
          throw error instanceof ParlorError ? new UsageError(error.message) : error;
        }
        terminal.print(`exported ${username} to ${file}`);
      };
    },
  },
  import: {
    usage: 'import FILE',
    meaning:
      'reads in what export wrote, with all ids; the account must not be here yet. Deliveries that waited go out here',
    mayBeNew: true,
    located: locatedFrom(0),
    files: (args) => {
      const [reads] = plainArguments(args);
      return reads === undefined ? {} : { reads };
    },
    prepare: (args) => {
      const [file = ''] = takeArguments(args, 'FILE');
      return async (services, terminal) => {
        try {
          const username = await importAccount(services, terminal.lines(), terminal);
          await services.auditTrail.add(entryOf('import', await accountNamed(services, username)));
          // A running server looks for what is due once a minute.
          services.sender.wake();
          terminal.print(`imported ${username}`);
        } catch (error) {
          throw error instanceof ImportError ? new UsageError(`${file}, ${error.message}`) : error;
        }
      };
    },
  },
};
