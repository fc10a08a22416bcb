import { Registration } from '@parlor/shared';
import type { Services } from '../compose.ts';
import { auditEvent, ownAction } from '../events/audit.ts';
import { deleteAccount } from '../features/accounts/account-data.ts';
import type { Account } from '../features/accounts/accounts.model.ts';
import { newInvitation } from '../features/accounts/invitations.ts';
import { type ActiveMember, founderOf } from '../features/members/member.ts';
import { asAudited } from '../features/members/member-audit.ts';
import { type FieldErrors, ParlorError } from '../platform/errors.ts';
import { randomLetters } from '../platform/ids.ts';
import { takeArguments, takeFlag, UsageError } from './arguments.ts';
import type { ServiceCommand } from './command.ts';
import type { Terminal } from './terminal.ts';

const PASSWORD_LENGTH = 20;

const FROM_STDIN = '--password-stdin';

/**
 * The password to set, as requests that sign in by it are read, and whether it was made here and has to be shown.
 * @throws UsageError
 */
const choosePassword = async (
  fromStdin: boolean,
  terminal: Terminal,
): Promise<{ password: string; isMade: boolean }> => {
  if (!fromStdin) return { password: randomLetters(PASSWORD_LENGTH), isMade: true };
  let given: string | undefined;
  for await (const line of terminal.lines()) {
    // Nobody can type an end of a line. What else there is is not read: it would fill the memory, which is the server's beside one.
    if (given !== undefined || line.includes('\r')) {
      throw new UsageError('password: stdin has more than one line: give the password alone');
    }
    given = line;
  }
  const { data, error } = Registration.shape.password.safeParse(given ?? '');
  if (error) throw new UsageError(`password: ${error.issues[0]?.message}`);
  return { password: data, isMade: false };
};

/** @throws UsageError when no account may have it */
const checkField = (name: 'username' | 'email', value: string): void => {
  const { error } = Registration.shape[name].safeParse(value);
  if (error) throw new UsageError(`${name}: ${error.issues[0]?.message}`);
};

const firstError = (fields: FieldErrors, path = ''): string => {
  for (const [name, errors] of Object.entries(fields)) {
    if (Array.isArray(errors)) return `${path}${name}: ${errors[0]}`;
    return firstError(errors, `${path}${name}.`);
  }
  return 'invalid';
};

/** What the service refuses is the caller's to mend, and told in one line. */
const told = (error: unknown): never => {
  if (error instanceof ParlorError && error.fields) throw new UsageError(firstError(error.fields));
  throw error;
};

export const accountNamed = async ({ accounts }: Services, username: string): Promise<Account> => {
  const account = await accounts.byUsername(username);
  if (!account) throw new UsageError(`there is no account named "${username}"`);
  return account;
};

/** The member of whichever account that signs in by that username. */
export const memberNamed = async ({ members }: Services, username: string): Promise<ActiveMember> => {
  const member = await members.byUsername(username);
  if (!member) throw new UsageError(`there is no member named "${username}"`);
  return member;
};

export const accountCommands: Record<string, ServiceCommand> = {
  'account create': {
    usage: `account create USERNAME EMAIL [${FROM_STDIN}]`,
    meaning:
      'makes an account with its first widget; prints its password when it was made here, and its token',
    mayBeNew: true,
    prepare: (args) => {
      const fromStdin = takeFlag(args, FROM_STDIN);
      const [username = '', email = ''] = takeArguments(args, 'USERNAME', 'EMAIL');
      checkField('username', username);
      checkField('email', email);
      return async (services, terminal) => {
        const { password, isMade } = await choosePassword(fromStdin, terminal);
        const given = Registration.safeParse({ username, email, password, password2: password });
        if (!given.success) {
          const [issue] = given.error.issues;
          throw new UsageError(`${String(issue?.path[0])}: ${issue?.message}`);
        }
        const account = await services.accounts
          .create(given.data, {}, ownAction('cli', 'account create'))
          .catch(told);
        if (isMade) terminal.print(`password ${password}`);
        terminal.print(`token ${services.credentials.tokenOf(founderOf(account))}`);
      };
    },
  },
  'account invite': {
    usage: 'account invite',
    meaning: 'prints an invitation for REGISTRATION=invite, good for one account within 7 days',
    mayBeNew: true,
    prepare: (args) => {
      takeArguments(args);
      return async ({ secrets }, terminal) => {
        terminal.print(newInvitation(secrets));
      };
    },
  },
  'account confirm': {
    usage: 'account confirm USERNAME',
    meaning: "takes the account's e-mail address for its owner's, without a mail",
    prepare: (args) => {
      const [username = ''] = takeArguments(args, 'USERNAME');
      return async (services, terminal) => {
        const account = await accountNamed(services, username);
        await services.confirmations.confirmAccount(account, ownAction('cli', 'account confirm'));
        terminal.print(`confirmed ${account.email}`);
      };
    },
  },
  'account token': {
    usage: 'account token USERNAME [--reset]',
    meaning: 'prints the API token of a member; --reset makes a new one, and the old one is dead at once',
    prepare: (args) => {
      const isReset = takeFlag(args, '--reset');
      const [username = ''] = takeArguments(args, 'USERNAME');
      return async (services, terminal) => {
        const member = await memberNamed(services, username);
        const { auditTrail, credentials } = services;
        const action = ownAction('cli', 'account token');
        if (isReset) return terminal.print(await credentials.resetToken(member, action));
        const token = credentials.tokenOf(member);
        // Before it is shown: nobody has it without the account's people seeing that.
        await auditTrail.add(auditEvent(action, member.account, asAudited(member)));
        terminal.print(token);
      };
    },
  },
  'account reset-password': {
    usage: `account reset-password USERNAME [${FROM_STDIN}]`,
    meaning: 'sets a new password for a member; prints it when it was made here',
    prepare: (args) => {
      const fromStdin = takeFlag(args, FROM_STDIN);
      const [username = ''] = takeArguments(args, 'USERNAME');
      return async (services, terminal) => {
        const { password, isMade } = await choosePassword(fromStdin, terminal);
        const member = await memberNamed(services, username);
        const action = ownAction('cli', 'account reset-password');
        await services.credentials.setPassword(member, password, action).catch(told);
        if (isMade) terminal.print(`password ${password}`);
      };
    },
  },
  'account delete': {
    usage: 'account delete USERNAME --yes',
    meaning: 'deletes an account with everything that belongs to it, for good',
    prepare: (args) => {
      const isSure = takeFlag(args, '--yes');
      const [username = ''] = takeArguments(args, 'USERNAME');
      if (!isSure) throw new UsageError('this can not be undone: add --yes');
      return async (services, terminal) => {
        const account = await accountNamed(services, username);
        await deleteAccount(services, account._id, (collection) =>
          terminal.progress(`deleting ${collection}`),
        );
        terminal.print(`deleted ${account.username}`);
      };
    },
  },
};
