import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type JWK } from 'oidc-provider';
import { onTestFinished } from 'vitest';
import type { AtEnd } from './server-process.ts';

export const CALLBACK = '/api/v1/auth/oidc/callback';

type Claims = Record<string, unknown>;

/** What a provider does that is broken, or somebody else's. */
export interface Misbehaviour {
  /** Answers instead of the provider, on paths where it returns true. */
  answer?(path: string, response: ServerResponse, request: IncomingMessage): boolean;
  /** Changes what an ID token says before it is signed again. */
  claims?(claims: Claims): Claims;
  /** Signs it by another key than the provider publishes, or changes its header. */
  key?: KeyObject;
  header?: Claims;
}

/** A provider of OpenID Connect (oidc-provider) with a page to sign in at, by any name that it knows. */
export interface TestProvider {
  issuer: string;
  /** The settings of a server that uses it. */
  settings: Record<string, string>;
  /** What it says of whom, by the login; nothing of anybody else. */
  people: Map<string, Claims>;
  misbehaviour: Misbehaviour;
  /** How often each path was asked for. */
  asked: Map<string, number>;
  /** Every code and token that it has given out. */
  issued: string[];
  /** How a server shows its secret, and no other way. */
  method: 'client_secret_basic' | 'client_secret_post';
  /** Lets servers at these addresses use it. */
  admit(...urls: string[]): void;
}

const SECRET = "a client's secret: %+&";

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const rsaKey = (): { jwk: JWK; key: KeyObject } => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'the-key' };
  return { jwk: jwk as JWK, key: createPrivateKey({ key: jwk, format: 'jwk' } as never) };
};

/** A signing key that no provider publishes. */
export const anotherKey = (): KeyObject => rsaKey().key;

const resigned = (token: string, key: KeyObject, { claims, key: other, header }: Misbehaviour): string => {
  const [head = '', payload = ''] = token.split('.');
  const parsed = (part: string): Claims => JSON.parse(Buffer.from(part, 'base64url').toString());
  const signed = [
    encoded({ ...parsed(head), ...header }),
    encoded(claims?.(parsed(payload)) ?? parsed(payload)),
  ].join('.');
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), other ?? key).toString('base64url')}`;
};

/**
 * Starts a provider on this machine; it ends with the test.
 * @param host what it calls itself: to browsers another name is another site
 */
export const startOidcProvider = async (
  atEnd: AtEnd = onTestFinished,
  host = '127.0.0.1',
): Promise<TestProvider> => {
  const asked = new Map<string, number>();
  const issued: string[] = [];
  const people = new Map<string, Claims>();
  const { jwk, key } = rsaKey();
  let listener: RequestListener = (_, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    asked.set(path, (asked.get(path) ?? 0) + 1);
    if (!found.misbehaviour.answer?.(path, response, request)) listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;

  const admit = (...urls: string[]): void => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'parlor',
          client_secret: SECRET,
          token_endpoint_auth_method: found.method,
          redirect_uris: urls.map((url) => `${url}${CALLBACK}`),
        },
      ],
      clientAuthMethods: [found.method],
      jwks: { keys: [jwk] },
      cookies: { keys: ['a key for the tests'] },
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['name', 'preferred_username'],
      },
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      pkce: { required: () => true },
      findAccount: (_, id) => ({
        accountId: id,
        claims: () => ({ sub: id, ...people.get(id) }),
      }),
    });
    provider.use(async (ctx, next) => {
      await next();
      const { claims, key: other, header } = found.misbehaviour;
      const answer = ctx.body as { id_token?: string; access_token?: string } | undefined;
      if (ctx.path !== '/token' || !answer?.id_token) return;
      if (claims || other || header) answer.id_token = resigned(answer.id_token, key, found.misbehaviour);
      issued.push(answer.id_token, answer.access_token ?? '');
    });
    listener = provider.callback();
  };

  const found: TestProvider = {
    issuer,
    settings: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'parlor',
      OIDC_CLIENT_SECRET: SECRET,
      OIDC_NAME: 'The Office',
      OIDC_ALLOW_PRIVATE: 'true',
    },
    people,
    misbehaviour: {},
    asked,
    issued,
    method: 'client_secret_basic',
    admit,
  };
  return found;
};
