import { Account, AccountDeletion, AccountSettings, foldName } from '@parlor/shared';
import { auditEvent } from '../../events/audit.ts';
import type { OutboxEvent } from '../../events/events.ts';
import type { HostCookie } from '../../http/host-cookie.ts';
import { patchOf, shown } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { precondition, sendObject } from '../../http/single-object.ts';
import { callerNow } from '../../http/turns.ts';
import { readObject, readPatch } from '../../http/validate.ts';
import { forbidden, invalid } from '../../platform/errors.ts';
import type { AccountDeletion as Deletion } from '../accounts/account-deletion.ts';
import type { AccountDownloads } from '../accounts/account-download.ts';
import { type AccountsService, asAudited, presentAccount } from '../accounts/accounts.service.ts';
import { accountOf, actionOf, memberAgain, memberOf, sessionOf } from './principal.ts';
import type { SignIn } from './sign-in.ts';

const tag = 'Account';
const callers = ['account'] as const;

interface Parts {
  accounts: AccountsService;
  accountDeletion: Deletion;
  accountDownloads: AccountDownloads;
  auditTrail: { add(event: OutboxEvent): Promise<void> };
  deviceCookie: HostCookie;
  signIn: SignIn;
}

/** /api/v1/account/ (docs/contract.md#account). */
export const accountRoutes = ({
  accounts,
  accountDeletion,
  accountDownloads,
  auditTrail,
  deviceCookie,
  signIn,
}: Parts): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/account/',
    id: 'retrieveAccount',
    tag,
    summary: 'Your account',
    description: 'What holds for everybody in it.',
    callers,
    condition: 'read',
    answers: shown(Account),
    handler: async (ctx) => sendObject(ctx, presentAccount(await accounts.byId(accountOf(ctx)))),
  },
  {
    method: 'PATCH',
    path: '/api/v1/account/',
    id: 'changeAccount',
    tag,
    summary: 'Change your account',
    description:
      'Owners alone. With `requires_totp`, which needs a second factor of your own, sessions of members without one do nothing before they have set it up, and `api-token` hands them no token; the tokens that they have stay good.',
    callers,
    body: patchOf(AccountSettings, 'AccountSettingsPatch'),
    bodyExample: { requires_totp: false },
    isBodyOptional: true,
    condition: 'write',
    answers: shown(Account),
    handler: async (ctx) => {
      const wanted = readPatch(AccountSettings, ctx.state.body);
      const account = await accounts.change(memberOf(ctx), wanted, precondition(ctx), actionOf(ctx));
      sendObject(ctx, presentAccount(account));
    },
  },
  {
    method: 'GET',
    path: '/api/v1/account/export/',
    id: 'exportAccount',
    tag,
    summary: 'Download your account',
    description:
      'Owners alone. Everything of the account as JSON lines, as it is stored but without its secrets: a line says what it is, one for each object follows under the name of its kind, and the account itself comes last; a file without it is not whole. One at a time, for an hour at most; it breaks off when you are no owner any more, and when the credential that asked for it has ended. To move to another server, `npm run parlor -- export` writes a file that `import` reads.',
    callers,
    answers: { status: 200, description: 'The file.', isLines: true },
    handler: async (ctx) => {
      const account = await accounts.byId(accountOf(ctx));
      const lines = accountDownloads.open(account, memberOf(ctx)._id, callerNow(ctx));
      ctx.body = lines;
      // Before the first line: nobody has a copy that the account does not know of.
      if (ctx.method !== 'HEAD')
        await auditTrail.add(auditEvent(actionOf(ctx), account._id, asAudited(account)));
      ctx.set('Cache-Control', 'no-store');
      ctx.attachment(`parlor ${account.username}.jsonl`);
      ctx.type = 'application/x-ndjson';
    },
  },
  {
    method: 'POST',
    path: '/api/v1/account/delete/',
    id: 'deleteAccount',
    tag,
    summary: 'Delete your account',
    description:
      'Owners alone, and for good: conversations, leads, widgets, members and all else. Needs your username, and your password or, without one, a sign-in at the provider within the last 10 minutes. Every token and session ends before this is answered; what is stored goes within minutes. `Idempotency-Key` is ignored here.',
    callers,
    body: AccountDeletion,
    answers: { status: 204, description: 'It is being deleted, and nobody signs in to it any more.' },
    handler: async (ctx) => {
      const { username, password } = readObject(AccountDeletion, ctx.state.body);
      const member = memberOf(ctx);
      if (foldName(username) !== foldName(member.username)) {
        throw invalid({ username: ['This is not your username.'] });
      }
      const shown = { password, session: sessionOf(ctx), device: deviceCookie.get(ctx) };
      const { role } = await signIn.confirm(member, shown, ctx.ip, memberAgain(ctx), 'password');
      if (role !== 'owner') throw forbidden();
      await accountDeletion.request(member.account);
      ctx.status = 204;
    },
  },
];
