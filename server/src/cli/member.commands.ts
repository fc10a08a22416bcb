import { ROLES, type Role } from '@parlor/shared';
import { ownAction } from '../events/audit.ts';
import { ParlorError } from '../platform/errors.ts';
import { accountNamed, memberNamed } from './account.commands.ts';
import { takeArguments, UsageError } from './arguments.ts';
import type { ServiceCommand } from './command.ts';

const readRole = (text: string): Role => {
  const role = ROLES.find((one) => one === text);
  if (!role) throw new UsageError(`ROLE is one of ${ROLES.join(', ')}`);
  return role;
};

export const memberCommands: Record<string, ServiceCommand> = {
  'member list': {
    usage: 'member list USERNAME',
    meaning: 'prints the members of the account that this one founded: role, username, e-mail address',
    prepare: (args) => {
      const [username = ''] = takeArguments(args, 'USERNAME');
      return async (services, terminal) => {
        const { _id } = await accountNamed(services, username);
        for (const { role, username: name = '(invited)', email } of await services.members.list(_id)) {
          terminal.print(`${role} ${name} ${email}`);
        }
      };
    },
  },
  'member role': {
    usage: 'member role USERNAME ROLE',
    meaning: 'makes a member an owner, admin or operator; the last owner stays one',
    prepare: (args) => {
      const [username = '', text = ''] = takeArguments(args, 'USERNAME', 'ROLE');
      const role = readRole(text);
      return async (services, terminal) => {
        const member = await memberNamed(services, username);
        const action = ownAction('cli', 'member role');
        await services.members
          .change({ account: member.account }, member._id, { role }, undefined, action)
          .catch((error) => {
            throw error instanceof ParlorError ? new UsageError(error.message) : error;
          });
        terminal.print(`${username} is ${role}`);
      };
    },
  },
  'member sign-out': {
    usage: 'member sign-out USERNAME',
    meaning: 'ends the sessions of a member, and makes its API token another one',
    prepare: (args) => {
      const [username = ''] = takeArguments(args, 'USERNAME');
      return async (services, terminal) => {
        const member = await memberNamed(services, username);
        await services.memberSessions.endAll(member);
        await services.credentials.resetToken(member, ownAction('cli', 'member sign-out'));
        terminal.print(`${username} is signed out`);
      };
    },
  },
  'member reset-totp': {
    usage: 'member reset-totp USERNAME',
    meaning: 'lets a member sign in by its password alone who has lost its authenticator app',
    prepare: (args) => {
      const [username = ''] = takeArguments(args, 'USERNAME');
      return async (services, terminal) => {
        const member = await memberNamed(services, username);
        await services.secondFactor.disable(member, ownAction('cli', 'member reset-totp'));
        await services.memberSessions.suspendIncomplete(member.account);
        terminal.print(`${username} signs in by password`);
      };
    },
  },
};
