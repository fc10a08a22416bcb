import type { IncomingMessage } from 'node:http';
import type { AuthFrame } from '@parlor/shared';
import type { Authenticator } from '../../http/authenticator.ts';
import type { Context, Handler } from '../../http/context.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import { forbidden, isRefusal, ParlorError } from '../../platform/errors.ts';
import type { ConversationsService } from '../agent/conversations.service.ts';
import { type AgentPrincipal, agentPrincipal } from '../agent/principal.ts';
import type { WorkflowsService } from '../agent/workflows.service.ts';
import type { Credentials } from '../members/credentials.ts';
import type { LastSeen } from '../members/last-seen.ts';
import { type ActiveMember, restrictionOf } from '../members/member.ts';
import type { MemberSessions } from '../members/member-sessions.ts';
import { type AccountPrincipal, accountPrincipal } from '../members/principal.ts';
import { isProgramToken, type ProgramTokens } from '../members/program-tokens.ts';
import { lacksSecondFactor, secondFactorFirst } from '../members/second-factor.ts';
import type { SessionCookie } from '../members/session-cookie.ts';
import { type VisitorPrincipal, visitorPrincipal } from '../visitors/principal.ts';
import type { SessionsService } from '../visitors/sessions.service.ts';
import type { WidgetsService } from '../widgets/widgets.service.ts';
import { LIVE_CHANNEL, mayCall, SETTING_UP } from './rights.ts';

const notAuthenticated = (message: string, scheme = 'Token'): ParlorError =>
  new ParlorError('not_authenticated', message, { headers: { 'WWW-Authenticate': scheme } });

const invalidSession = (): ParlorError => notAuthenticated('The session has ended. Sign in again.');

/** What a page of one member asks is nobody else's who has signed in in its browser since. */
const checkPage = (page: string | undefined, { member, session }: AccountPrincipal): void => {
  if (page === undefined || session === undefined || page === member._id) return;
  throw new ParlorError('forbidden', 'Somebody else has signed in in this browser. Load the page again.');
};

const invalidToken = (): ParlorError => notAuthenticated('Invalid token.');

/** Where principals are found. */
interface Identities {
  lastSeen: Pick<LastSeen, 'note'>;
  credentials: Pick<Credentials, 'byToken'>;
  programTokens: Pick<ProgramTokens, 'bySecret'>;
  sessions: Pick<SessionsService, 'byToken'>;
  widgets: Pick<WidgetsService, 'existing'>;
}

/** What finds the member of a session's cookie. */
interface SessionIdentities extends Pick<Identities, 'widgets'> {
  memberSessions: Pick<MemberSessions, 'bySecret'>;
  sessionCookie: SessionCookie;
}

/** A member as it may act now: of the widgets that it is restricted to those are left that exist. */
const createActing =
  (widgets: Identities['widgets']) =>
  async (member: ActiveMember, by?: Parameters<typeof accountPrincipal>[2]): Promise<AccountPrincipal> => {
    const chosen = restrictionOf(member);
    const existing = chosen && (await widgets.existing(chosen));
    return accountPrincipal(
      member,
      chosen?.filter((uuid) => existing?.has(uuid)),
      by,
    );
  };

/**
 * Says whose session a request's cookie is of. It throws ParlorError `not_authenticated`, and what `check` throws, which
 * says whether the request comes from a page that may use it.
 */
const createBySession = ({ memberSessions, sessionCookie, widgets }: SessionIdentities) => {
  const acting = createActing(widgets);
  return async (req: IncomingMessage, check: () => void): Promise<AccountPrincipal> => {
    const found = await memberSessions.bySecret(sessionCookie.get({ req }));
    if (!found) throw invalidSession();
    check();
    return acting(found.member, {
      session: found.session.uuid,
      lacksSecondFactor: lacksSecondFactor(found.account, found.member),
    });
  };
};

/**
 * Says who an Authorization's text stands for; a socket's first frame holds the same scheme and token
 * (docs/contract.md#live-channel). It throws ParlorError `not_authenticated`, and `forbidden` where a
 * widget's domain excludes the origin.
 */
export const createIdentify = ({
  credentials,
  programTokens,
  sessions,
  widgets,
}: Omit<Identities, 'lastSeen'>) => {
  const acting = createActing(widgets);
  return async (authorization: string, origin: string): Promise<AccountPrincipal | VisitorPrincipal> => {
    const [, scheme = '', token = ''] = /^(\S+)\s+(\S+)\s*$/.exec(authorization) ?? [];
    switch (scheme.toLowerCase()) {
      case 'token': {
        if (isProgramToken(token)) {
          const found = await programTokens.bySecret(token);
          if (!found) throw invalidToken();
          return acting(found.member, { program: found.token });
        }
        const member = await credentials.byToken(token);
        if (!member) throw invalidToken();
        return acting(member);
      }
      case 'visitor': {
        const visitor = await sessions.byToken(token, origin);
        if (!visitor) throw invalidToken();
        return visitorPrincipal(visitor);
      }
      default:
        if (/^(token|visitor)\b/i.test(authorization)) throw invalidToken();
        throw notAuthenticated('Authentication credentials were not provided.');
    }
  };
};

/** @throws ParlorError `forbidden` for the page of another member, and for what this one may not do */
const check = (ctx: Context, principal: AccountPrincipal): void => {
  checkPage(pageOf(ctx), principal);
  authorize(principal, ctx.state.operation);
};

/** A member is here, but where a program of its own is. */
const note = ({ lastSeen }: Pick<Identities, 'lastSeen'>, { member, program }: AccountPrincipal): void => {
  if (!program) lastSeen.note(member);
};

/** The member whose page a request comes from, which says so; undefined: it is the same to it who is signed in. */
const pageOf = (ctx: Context): string | undefined => ctx.get('Parlor-Member').toLowerCase() || undefined;

/** @throws ParlorError `forbidden` */
const authorize = (principal: AccountPrincipal, operation: string): void => {
  if (!mayCall(principal, operation)) throw forbidden();
  if (principal.lacksSecondFactor && !SETTING_UP.has(operation)) throw secondFactorFirst();
};

/**
 * Says whom the first frame of a socket stands for, which `req` has opened: a session by its cookie, others by what is in
 * the frame. It throws as `createIdentify` does, and ParlorError `forbidden`.
 */
export const createIdentifyForChannel = (identities: Identities & SessionIdentities) => {
  const identify = createIdentify(identities);
  const bySession = createBySession(identities);
  const { sessionCookie } = identities;
  return async (frame: AuthFrame, req: IncomingMessage): Promise<AccountPrincipal | VisitorPrincipal> => {
    const principal =
      frame.scheme === 'Session'
        ? await bySession(req, () => sessionCookie.checkUpgrade(req))
        : await identify(`${frame.scheme} ${frame.token}`, req.headers.origin ?? '');
    if (principal.kind === 'account') {
      if (frame.scheme === 'Session') checkPage(frame.member, principal);
      authorize(principal, LIVE_CHANNEL);
      note(identities, principal);
    }
    return principal;
  };
};

/** The one way to authenticate a request. */
export const createAuthenticator = ({
  conversations,
  credentials,
  lastSeen,
  memberSessions,
  programTokens,
  sessionCookie,
  sessions,
  widgets,
  workflows,
  rateLimits,
}: Identities &
  SessionIdentities & {
    conversations: Pick<ConversationsService, 'checkExists'>;
    workflows: Pick<WorkflowsService, 'byKey'>;
    rateLimits: RateLimits;
  }): Authenticator => {
  const identify = createIdentify({ credentials, programTokens, sessions, widgets });
  const bySession = createBySession({ memberSessions, sessionCookie, widgets });

  const principalOf = async (ctx: Context): Promise<AccountPrincipal | VisitorPrincipal> => {
    const authorization = ctx.get('Authorization');
    const isSession = authorization === '' && sessionCookie.get(ctx) !== '';
    try {
      return await (isSession
        ? bySession(ctx.req, () => sessionCookie.check(ctx))
        : identify(authorization, ctx.get('Origin')));
    } catch (error) {
      // Whoever tries tokens out is told less and less, and a good one on a page that may not use it counts for nobody else.
      const isRefused =
        error instanceof ParlorError && (error.code === 'not_authenticated' || error.code === 'forbidden');
      if (isRefused && (authorization !== '' || isSession)) await rateLimits.countAddress(ctx, 'unknown');
      throw error;
    }
  };

  /** Every request with a credential counts, whatever comes of it (docs/contract.md#operation). */
  const count = async (ctx: Context, principal: AccountPrincipal | VisitorPrincipal): Promise<void> => {
    if (principal.kind === 'account')
      return rateLimits.count(ctx, 'api', principal.program?._id ?? principal.member._id);
    const session = principal.visitor.session._id;
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    await rateLimits.count(ctx, isRead ? 'visitor-reads' : 'visitor', session);
    await rateLimits.countAddress(ctx, isRead ? 'visitor-reads-ip' : 'visitor-ip');
  };

  const allow =
    (kinds: ('account' | 'visitor')[], isCounted = true): Handler =>
    async (ctx, next) => {
      const principal = await principalOf(ctx);
      if (isCounted) await count(ctx, principal);
      if (!kinds.includes(principal.kind)) throw forbidden();
      if (principal.kind === 'account') {
        check(ctx, principal);
        note({ lastSeen }, principal);
      }
      ctx.state.principal = principal;
      await next();
    };

  const agentOf = async (ctx: Context): Promise<AgentPrincipal> => {
    const key = ctx.get('X-API-Key');
    if (key === '') throw notAuthenticated('Missing API key. Include X-API-Key header.', 'X-API-Key');
    const workflow = await workflows.byKey(key);
    if (!workflow) {
      throw notAuthenticated('Invalid API key. Include a valid X-API-Key header.', 'X-API-Key');
    }
    return agentPrincipal(workflow);
  };

  /** Whoever tries conversations out takes nothing of what all callers of a key have together. */
  const checkConversation = async (ctx: Context, { workflow }: AgentPrincipal): Promise<void> => {
    const { conversation } = ctx.params ?? {};
    if (conversation === undefined) return;
    try {
      await conversations.checkExists(workflow, conversation);
    } catch (error) {
      if (isRefusal(error)) await rateLimits.countAddress(ctx, 'unknown');
      throw error;
    }
  };

  const agent: Handler = async (ctx, next) => {
    // Before the key is looked up: keys that are tried out count, too.
    await rateLimits.countAddress(ctx, 'agent-ip');
    const principal = await agentOf(ctx);
    await checkConversation(ctx, principal);
    ctx.state.principal = principal;
    await next();
  };

  const again = async (ctx: Context): Promise<void> => {
    const { principal: before } = ctx.state;
    if (before) {
      // Whoever has shown a conversation's secret is that one still.
      const principal =
        before.kind === 'agent'
          ? { ...before, workflow: (await agentOf(ctx)).workflow }
          : await principalOf(ctx);
      if (principal.kind === 'account') check(ctx, principal);
      ctx.state.principal = principal;
    }
  };

  // Sessions have a limit of their own: who looks at many pages has not written anything.
  const visitor = allow(['visitor'], false);
  return {
    account: allow(['account']),
    accountOrVisitor: allow(['account', 'visitor']),
    visitorIfGiven: (ctx, next) => (ctx.get('Authorization') === '' ? next() : visitor(ctx, next)),
    agent,
    again,
  };
};
