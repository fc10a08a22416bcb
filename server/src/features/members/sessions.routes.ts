import { foldName, Member, MemberSession, NewPassword, SessionCredentials, Welcome } from '@parlor/shared';
import { z } from 'zod';
import type { Context } from '../../http/context.ts';
import type { HostCookie } from '../../http/host-cookie.ts';
import { deleted, uuidInPath } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { pathUuid, readObject } from '../../http/validate.ts';
import { ignoreMissing } from '../../platform/errors.ts';
import { signInBrowser } from './browser-sign-in.ts';
import type { Credentials } from './credentials.ts';
import { onlyOwnPages } from './foreign-pages.ts';
import { presentMember } from './member.ts';
import { type MemberSessions, presentSession } from './member-sessions.ts';
import { actionOf, memberAgain, memberOf, publicActionOf, sessionOf } from './principal.ts';
import type { SessionCookie } from './session-cookie.ts';
import type { SignIn } from './sign-in.ts';
import type { WelcomeLinks } from './welcome-links.ts';

const tag = 'Account';
const callers = ['account'] as const;

const Named = SessionCredentials.pick({ username: true });

/** /api/v1/auth/session, …/sessions/ and …/password (docs/contract.md#sessions). */
export const memberSessionRoutes = ({
  credentials,
  deviceCookie,
  memberSessions,
  sessionCookie,
  signIn,
  welcomeLinks,
  baseUrl,
}: {
  credentials: Credentials;
  deviceCookie: HostCookie;
  memberSessions: MemberSessions;
  sessionCookie: SessionCookie;
  signIn: SignIn;
  welcomeLinks: WelcomeLinks;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'POST',
    path: '/api/v1/auth/session',
    // Nobody signs somebody else's browser in.
    before: onlyOwnPages(sessionCookie),
    limits: [
      {
        group: 'sign-in',
        after: 'body',
        instead: {
          group: 'sign-in-device',
          key: async (ctx) => {
            const { data } = Named.safeParse(ctx.state.body);
            if (!data) return undefined;
            const name = foldName(data.username);
            const device = await signIn.knownDevice(name, deviceCookie.get(ctx));
            return device === undefined ? undefined : { own: `${name} ${device}`, shared: name };
          },
        },
      },
    ],
    id: 'startSession',
    tag,
    summary: 'Sign in from a browser',
    description:
      'Answers the member, and a cookie that scripts can’t read and other sites can’t use: it ends after 14 days without a request, and after 90 in any case. What is changed by it has to come from this server’s own pages (`Origin`), else 403. A second cookie, which opens nothing, lets the browser sign in again where others have used up what its address may try. `Idempotency-Key` is ignored here.',
    callers: ['public'],
    body: SessionCredentials,
    errors: [403, 429],
    answers: { status: 200, description: 'You are signed in.', schema: Member, headers: ['Set-Cookie'] },
    handler: async (ctx: Context) => {
      const { time_zone, ...given } = readObject(SessionCredentials, ctx.state.body);
      const shown = deviceCookie.get(ctx);
      const member = await signIn.member(given, publicActionOf(ctx), shown);
      const signedIn = { member, time_zone, before: sessionCookie.get(ctx) };
      await signInBrowser({ memberSessions, sessionCookie }, ctx, signedIn);
      const device = signIn.deviceFor(member, shown);
      if (device !== undefined) deviceCookie.set(ctx, device);
      ctx.body = presentMember(member, baseUrl(ctx));
    },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/welcome',
    before: onlyOwnPages(sessionCookie),
    limits: [{ group: 'sign-in', after: 'body' }],
    id: 'startSessionByLink',
    tag,
    summary: 'Sign in by the link that a start has printed',
    description:
      'Where Parlor is tried out, each start prints one: it is good once, within 15 minutes, for a member without a second factor. Else as signing in from a browser. `Idempotency-Key` is ignored here.',
    callers: ['public'],
    body: Welcome,
    errors: [403, 429],
    answers: { status: 200, description: 'You are signed in.', schema: Member, headers: ['Set-Cookie'] },
    handler: async (ctx: Context) => {
      const { token, time_zone } = readObject(Welcome, ctx.state.body);
      const member = await welcomeLinks.take(token, publicActionOf(ctx));
      const signedIn = { member, time_zone, before: sessionCookie.get(ctx) };
      await signInBrowser({ memberSessions, sessionCookie }, ctx, signedIn);
      ctx.body = presentMember(member, baseUrl(ctx));
    },
  },
  {
    method: 'GET',
    path: '/api/v1/auth/session',
    id: 'retrieveSession',
    tag,
    summary: 'Who is signed in',
    description: 'The member of the cookie, or of the token.',
    callers,
    answers: { status: 200, description: 'The member.', schema: Member },
    handler: (ctx) => {
      ctx.set('Cache-Control', 'no-store');
      ctx.body = presentMember(memberOf(ctx), baseUrl(ctx));
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/auth/session',
    id: 'endSession',
    tag,
    summary: 'Sign out',
    description: 'Ends the session of the cookie; a token stays as it is.',
    callers,
    answers: { ...deleted, headers: ['Set-Cookie'] },
    handler: async (ctx) => {
      const session = sessionOf(ctx);
      if (session !== undefined) {
        // Another page has just ended it.
        await memberSessions.end(memberOf(ctx), session, actionOf(ctx)).catch(ignoreMissing);
        sessionCookie.clear(ctx);
      }
      ctx.status = 204;
    },
  },
  {
    method: 'GET',
    path: '/api/v1/auth/sessions/',
    id: 'listSessions',
    tag,
    summary: 'The browsers that you are signed in with',
    description: 'At most 50, the one that was used last first.',
    callers,
    answers: { status: 200, description: 'Your sessions.', schema: z.array(MemberSession) },
    handler: async (ctx) => {
      ctx.set('Cache-Control', 'no-store');
      const sessions = await memberSessions.list(memberOf(ctx));
      ctx.body = sessions.map((session) => presentSession(session, sessionOf(ctx)));
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/auth/sessions/{uuid}/',
    id: 'endOtherSession',
    tag,
    summary: 'Sign a browser out',
    description: 'From the next request on it is a 401 there.',
    callers,
    params: { uuid: uuidInPath() },
    answers: deleted,
    handler: async (ctx) => {
      await memberSessions.end(memberOf(ctx), pathUuid(ctx), actionOf(ctx));
      ctx.status = 204;
    },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/password',
    id: 'changePassword',
    tag,
    summary: 'Choose another password',
    description:
      'Needs the old one; wrong ones count as at sign-in. Who has none chooses one within 10 minutes of signing in at the provider. All other sessions end; the API token stays as it is. `Idempotency-Key` is ignored here.',
    callers,
    body: NewPassword,
    answers: { status: 204, description: 'From now on the new one is good.', headers: ['Set-Cookie'] },
    handler: async (ctx) => {
      const member = memberOf(ctx);
      const { old_password, ...chosen } = readObject(NewPassword, ctx.state.body);
      const session = sessionOf(ctx);
      const shown = deviceCookie.get(ctx);
      const again = memberAgain(ctx);
      await signIn.confirm(member, { password: old_password, session, device: shown }, ctx.ip, again);
      const changed = await credentials.choosePassword(member, chosen, { session, again }, actionOf(ctx));
      // Its browser stays known: what it has shown ended with the old password.
      const device = session === undefined ? undefined : signIn.deviceFor(changed, shown);
      if (device !== undefined) deviceCookie.set(ctx, device);
      ctx.status = 204;
    },
  },
];
