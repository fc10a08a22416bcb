import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import type { Logger } from 'pino';
import type { createBoundedFetch } from '../../../net/bounded-fetch.ts';
import { reasonOf } from '../../../net/failure-reasons.ts';
import type { Duration } from '../../../platform/duration.ts';
import { loadLaterBy } from '../../../platform/load-later.ts';
import { OidcError, type OidcReason } from './oidc-error.ts';

/** How long what the provider says of itself is taken for true, and when it is asked again after a failure. */
const FRESH_MS = 3_600_000;
const RETRY_MS = 60_000;

/** How a server is known at the provider. */
export interface OidcClient {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** For each request to the provider, its response included. */
  timeout: Duration;
}

/** What a sign-in is recognised by when the provider leads the browser back. */
export interface SignInChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** Who somebody is, as the provider says. */
export interface Identity {
  /** Verified; as the provider writes it. */
  email: string;
  preferred_username: string | undefined;
}

/** A provider of OpenID Connect, by the authorization code flow with PKCE (OpenID Connect Core 1.0, 3.1). */
export class OidcProvider {
  readonly #client: OidcClient;
  readonly #fetch: ReturnType<typeof createBoundedFetch>;
  readonly #log: Logger;
  readonly #load = loadLaterBy(() => import('openid-client'));
  #known: { configuration: Configuration; freshUntil: number } | undefined;
  #looking: Promise<Configuration> | undefined;
  /** When somebody last asked for that. */
  #askedAt = 0;

  constructor(client: OidcClient, fetch: ReturnType<typeof createBoundedFetch>, log: Logger) {
    this.#client = client;
    this.#fetch = fetch;
    this.#log = log;
  }

  /**
   * Where a browser signs in.
   * @param callback where the provider leads it back to
   * @throws OidcError
   */
  async authorizationUrl(callback: string, { state, nonce, verifier }: SignInChecks): Promise<string> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await this.#load();
    const configuration = await this.#configuration();
    const code_challenge = await calculatePKCECodeChallenge(verifier);
    return this.#asking(async () => {
      const parameters = { redirect_uri: callback, scope: 'openid email profile', state, nonce };
      const pkce = { code_challenge, code_challenge_method: 'S256' };
      return buildAuthorizationUrl(configuration, { ...parameters, ...pkce }).href;
    }, 'provider_unavailable');
  }

  /**
   * Who has signed in. Checked are the response's state and issuer (RFC 9207), and the ID token's signature, issuer,
   * audience, nonce and times.
   * @param response the address that the provider has led the browser back to
   * @throws OidcError
   */
  async identify(response: URL, { state, nonce, verifier }: SignInChecks): Promise<Identity> {
    const { authorizationCodeGrant, fetchUserInfo } = await this.#load();
    const configuration = await this.#configuration();
    return this.#asking(async () => {
      const tokens = await authorizationCodeGrant(configuration, response, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
      });
      const claims = tokens.claims() as IDToken;
      // Many providers put the address into the ID token, others answer it apart.
      const isApart = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint;
      return identityIn(
        isApart ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims,
      );
    }, 'answer_not_accepted');
  }

  /** What the provider says of itself. While it can't be asked again, what it said before goes on. */
  async #configuration(): Promise<Configuration> {
    const now = Date.now();
    // With what the provider says the library keeps its keys, which stay fresh for as long as a clock was put back.
    const wasPutBack = now < this.#askedAt;
    this.#askedAt = now;
    if (this.#known && !wasPutBack && now < this.#known.freshUntil) return this.#known.configuration;
    this.#looking ??= this.#discover().finally(() => {
      this.#looking = undefined;
    });
    try {
      const configuration = await this.#looking;
      this.#known = { configuration, freshUntil: Date.now() + FRESH_MS };
      return configuration;
    } catch (error) {
      if (!this.#known) throw error;
      this.#log.warn({ why: (error as OidcError).why }, 'the sign-in provider was not asked again');
      this.#known.freshUntil = Date.now() + RETRY_MS;
      return this.#known.configuration;
    }
  }

  async #discover(): Promise<Configuration> {
    const client = await this.#load();
    const { issuer, clientId, clientSecret, timeout } = this.#client;
    return this.#asking(async () => {
      const configuration = await client.discovery(
        new URL(issuer),
        clientId,
        { client_secret: clientSecret },
        // By its header unless the provider takes the form only (OpenID Connect Core 1.0, 9).
        (server, ...rest) => {
          const methods = server.token_endpoint_auth_methods_supported;
          const isBasic = methods?.includes('client_secret_basic') ?? true;
          (isBasic ? client.ClientSecretBasic : client.ClientSecretPost)(clientSecret)(server, ...rest);
        },
        {
          // In seconds there.
          timeout: timeout / 1_000,
          [client.customFetch]: this.#fetch,
          execute: [
            // Otherwise the ID token's signature is not looked at.
            client.enableNonRepudiationChecks,
            ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
          ],
        },
      );
      // The library lets some providers speak for others.
      const said = configuration.serverMetadata().issuer;
      if (new URL(said).href !== new URL(issuer).href) throw new Error('it has another issuer');
      return configuration;
    }, 'provider_unavailable');
  }

  /** @param otherwise what a failure means that is none of the network */
  async #asking<T>(task: () => Promise<T>, otherwise: OidcReason): Promise<T> {
    try {
      return await task();
    } catch (error) {
      throw error instanceof OidcError ? error : asOidcError(error as FailedRequest, otherwise);
    }
  }
}

/** @throws OidcError `email_not_verified` */
const identityIn = (claims: IDToken | UserInfoResponse): Identity => {
  const { email, email_verified, preferred_username } = claims as Record<string, unknown>;
  if (typeof email !== 'string' || email_verified !== true) throw new OidcError('email_not_verified');
  return {
    email,
    preferred_username: typeof preferred_username === 'string' ? preferred_username : undefined,
  };
};

type FailedRequest = Error & { code?: string; error?: string; cause?: unknown };

/** Codes of openid-client for a provider that does not answer as one. */
const UNAVAILABLE = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

/** The texts of errors may hold what was sent: of the provider's own words the operator gets its error code alone. */
const asOidcError = (error: FailedRequest, otherwise: OidcReason): OidcError => {
  const { code = '', cause } = error;
  const said = String(error.error ?? '').slice(0, 100);
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') return new OidcError('refused_by_provider', said);
  if (said !== '') return new OidcError(otherwise, `${error.message}: ${said}`);
  // What the network says comes wrapped, without a code.
  const isNetwork = code === '' && cause instanceof Error;
  const why = isNetwork ? reasonOf(cause) : error.message;
  return new OidcError(isNetwork || UNAVAILABLE.has(code) ? 'provider_unavailable' : otherwise, why);
};
