import { Member, OidcDescription, OidcStart, TotpCode } from '@parlor/shared';
import type { Logger } from 'pino';
import type { Context } from '../../../http/context.ts';
import type { HostCookie } from '../../../http/host-cookie.ts';
import type { RateLimits } from '../../../http/rate-limits.ts';
import type { Route } from '../../../http/route.ts';
import { readObject } from '../../../http/validate.ts';
import { invalidTogether, notFound } from '../../../platform/errors.ts';
import { newSecret } from '../../../platform/random-secret.ts';
import type { Secrets } from '../../../platform/secrets.ts';
import { signInBrowser } from '../browser-sign-in.ts';
import { onlyOwnPages } from '../foreign-pages.ts';
import { presentMember } from '../member.ts';
import type { MemberSessions } from '../member-sessions.ts';
import { publicActionOf } from '../principal.ts';
import type { SessionCookie } from '../session-cookie.ts';
import type { SignIn } from '../sign-in.ts';
import type { Oidc } from './create-oidc.ts';
import { messageOf, OidcError } from './oidc-error.ts';
import { CODE_PATH, errorPages, onlyPages, START_PATH, sendCodePage, sendOn } from './pages.ts';
import type { SignInChecks } from './provider.ts';
import { ownPath } from './return-to.ts';
import { SealedCookie } from './sealed-cookie.ts';

const tag = 'Account';
const callers = ['public'] as const;
const CALLBACK_PATH = '/api/v1/auth/oidc/callback';

/** Errors on the way of a browser, wherever it is. */
const ERROR_PAGES: Route['errorPages'] = {
  404: { description: 'No provider is set.', detail: 'Not found.' },
  429: {
    description: 'Too many requests.',
    detail: 'Request was throttled. Expected available in 12 seconds.',
  },
  503: {
    description:
      'The provider does not answer; in JSON only, where the database is not reachable or the server is stopping.',
    detail: messageOf('provider_unavailable'),
  },
};

/** What a sign-in goes on with, wherever it has come to. */
interface Begun {
  return_to: string;
  time_zone: string;
  /** The cookie of the session that the browser had: it does not come along from the provider's site. */
  before: string;
}

/** A member who has signed in at the provider, and has still to show a code. */
interface HalfSignedIn extends Begun {
  account: string;
  member: string;
}

interface Parts {
  baseUrl(ctx: Pick<Context, 'req'>): string;
  deviceCookie: HostCookie;
  log: Logger;
  memberSessions: MemberSessions;
  oidc: Oidc | undefined;
  rateLimits: RateLimits;
  secrets: Secrets;
  sessionCookie: SessionCookie;
  signIn: SignIn;
}

/** /api/v1/auth/oidc (docs/contract.md#openid-connect). */
export const oidcRoutes = (parts: Parts): Route[] => {
  const { baseUrl, deviceCookie, log, oidc, rateLimits, secrets, sessionCookie, signIn } = parts;
  const flowCookie = new SealedCookie<Begun & SignInChecks>('parlor-oidc', baseUrl, secrets);
  const codeCookie = new SealedCookie<HalfSignedIn>('parlor-code', baseUrl, secrets);

  const available = (): Oidc => {
    if (!oidc) throw notFound();
    return oidc;
  };

  const logged = async <T>(ctx: Context, task: Promise<T>): Promise<T> => {
    try {
      return await task;
    } catch (error) {
      if (error instanceof OidcError) {
        const { reason, why } = error;
        log.warn({ reason, why, request_id: ctx.state.requestId }, 'no sign-in by OpenID Connect');
      }
      throw error;
    }
  };

  /** What this browser has begun, and the provider answers. @throws OidcError */
  const begunHere = async (ctx: Context): Promise<Begun & SignInChecks> => {
    const begun = flowCookie.get(ctx);
    if (begun && begun.state === ctx.query.state) return begun;
    throw new OidcError('not_begun_here');
  };

  /** A way back that was not begun, or was used, counts as what is unknown. @throws ParlorError `throttled` */
  const counted = async <T>(ctx: Context, comeBack: Promise<T>): Promise<T> => {
    try {
      return await comeBack;
    } catch (error) {
      const isUnknown = error instanceof OidcError && error.reason === 'not_begun_here';
      if (isUnknown) await rateLimits.countAddress(ctx, 'unknown');
      throw error;
    }
  };

  return [
    {
      method: 'GET',
      path: '/api/v1/auth/oidc',
      id: 'describeOidc',
      tag,
      summary: 'Whether members sign in by OpenID Connect',
      description: 'And what the button is called that leads to `/api/v1/auth/oidc/start`.',
      callers,
      answers: { status: 200, description: 'What the sign-in page shows.', schema: OidcDescription },
      handler: (ctx) => {
        ctx.set('Cache-Control', 'no-cache');
        ctx.body = { is_available: oidc !== undefined, name: oidc?.name ?? '' } satisfies OidcDescription;
      },
    },
    {
      method: 'GET',
      path: START_PATH,
      before: onlyPages,
      limits: [{ group: 'oidc', after: 'credential' }],
      id: 'startOidc',
      tag,
      summary: 'Sign in at the provider',
      description:
        'For a browser to go to, not for a script to fetch or a page to show, which is a 403 where `Sec-Fetch-Dest` says so: leads to the provider, which leads back to `/api/v1/auth/oidc/callback`. 404 where no provider is set. Errors but 403 and 500 are pages, unless `Accept` prefers JSON.',
      callers,
      query: OidcStart.shape,
      errors: [403],
      errorPages: {
        ...ERROR_PAGES,
        400: { description: 'The input is wrong.', detail: 'Invalid input.' },
      },
      answers: {
        status: 302,
        description: 'To the provider, with a cookie that is good for ten minutes.',
        headers: ['Location', 'Set-Cookie'],
      },
      handler: async (ctx) => {
        const { provider } = available();
        const { return_to, time_zone } = readObject(OidcStart, ctx.query);
        const checks = { state: newSecret(), nonce: newSecret(), verifier: newSecret() };
        const begun = { return_to: ownPath(return_to), time_zone, before: sessionCookie.get(ctx) };
        const callback = `${baseUrl(ctx)}${CALLBACK_PATH}`;
        const address = await logged(ctx, provider.authorizationUrl(callback, checks));
        flowCookie.set(ctx, { ...begun, ...checks });
        ctx.set('Cache-Control', 'no-store');
        ctx.redirect(address);
      },
    },
    {
      method: 'GET',
      path: CALLBACK_PATH,
      before: errorPages,
      id: 'finishOidc',
      tag,
      summary: 'Come back from the provider',
      description:
        'Where the provider leads the browser. Signs in the member whose verified e-mail address it is, or whoever is invited at that address, and goes on to `return_to`. Asks for a code first where the member has a second factor. It works once, in the browser that began. Errors but 500 are pages, too, unless `Accept` prefers JSON.',
      callers,
      errorPages: {
        ...ERROR_PAGES,
        400: {
          description: 'It was not begun in this browser, has taken too long, or was used.',
          detail: messageOf('not_begun_here'),
        },
        403: {
          description:
            'The provider says no, or what can’t be accepted, or of somebody who is no member here.',
          detail: messageOf('no_member'),
        },
        409: {
          description: 'Several accounts have invited this address.',
          detail: messageOf('several_invitations'),
        },
      },
      answers: {
        status: 200,
        description:
          'A page that goes on by itself, with the cookie of a session; or one that asks for a code.',
        isPage: true,
        headers: ['Set-Cookie'],
      },
      handler: async (ctx) => {
        const { member: memberOf } = available();
        const { return_to, time_zone, before, ...checks } = await counted(ctx, begunHere(ctx));
        flowCookie.clear(ctx);
        const answer = new URL(`${baseUrl(ctx)}${CALLBACK_PATH}${ctx.search}`);
        const member = await logged(ctx, counted(ctx, memberOf(answer, checks, publicActionOf(ctx))));
        const begun = { return_to, time_zone, before };
        if (member.totp_sealed !== undefined) {
          codeCookie.set(ctx, { ...begun, account: member.account, member: member._id });
          sendCodePage(ctx, return_to);
          return;
        }
        await signIn.byProvider(member, undefined, publicActionOf(ctx));
        await signInBrowser(parts, ctx, { member, time_zone, before });
        sendOn(ctx, return_to);
      },
    },
    {
      method: 'POST',
      path: CODE_PATH,
      before: onlyOwnPages(sessionCookie),
      limits: [{ group: 'sign-in', after: 'body' }],
      id: 'finishOidcByCode',
      tag,
      summary: 'Show a code after signing in at the provider',
      description:
        'Of the authenticator app, or a recovery code, within ten minutes. Wrong ones count as wrong passwords. `Idempotency-Key` is ignored here.',
      callers,
      body: TotpCode,
      errors: [403, 404, 429],
      answers: { status: 200, description: 'You are signed in.', schema: Member, headers: ['Set-Cookie'] },
      handler: async (ctx) => {
        const { active } = available();
        const { code } = readObject(TotpCode, ctx.state.body);
        const half = codeCookie.get(ctx);
        const member = half && (await active(half.account, half.member));
        if (!member) throw invalidTogether('This sign-in has ended. Begin again.');
        await signIn.byProvider(member, code, publicActionOf(ctx), deviceCookie.get(ctx));
        codeCookie.clear(ctx);
        await signInBrowser(parts, ctx, { ...half, member });
        ctx.body = presentMember(member, baseUrl(ctx));
      },
    },
  ];
};
