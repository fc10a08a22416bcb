import {
  anyText,
  baseAddress,
  bearerToken,
  databaseTimeout,
  digestWindow,
  folder,
  host,
  hostAndPort,
  mailAddress,
  mongodbUrl,
  oidcIssuer,
  oneOf,
  retryDelays,
  secretKey,
  smtpUrl,
  socketOrLoopback,
  timeout,
  trueOrFalse,
  webOrigin,
  wholeNumber,
} from './setting-values.ts';
import { parseTrustProxy } from './trust-proxy.ts';

/** A variable that Parlor reads from the environment. */
export interface Setting<T> {
  /** The value when the variable is not set, written as it would be in the environment. */
  fallback: string;
  meaning: string;
  /** Never shown by `parlor config`, nor repeated in an error. */
  secret?: true;
  /** Turns the text into the value, or throws an Error that says what was expected. */
  parse(text: string): T;
}

const setting = <T>(
  fallback: string,
  meaning: string,
  parse: (text: string) => T,
  secret?: true,
): Setting<T> => ({ fallback, meaning, parse, ...(secret && { secret }) });

const perMinute = (fallback: number, what: string): Setting<number> =>
  setting(String(fallback), `limit per minute: ${what}`, wholeNumber(1, 1_000_000));

/** Every variable that Parlor reads, with its default; written here once (docs/contract.md#operation). */
export const SETTINGS = {
  HOST: setting('127.0.0.1', 'address to listen on; 0.0.0.0 lets other machines in', host),
  PORT: setting('8080', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535)),
  PUBLIC_URL: setting(
    '',
    'how browsers and integrators reach this server; empty: where it listens; required with TRUST_PROXY or a HOST that others can reach',
    webOrigin,
  ),
  MONGODB_URL: setting('', 'a MongoDB 6 or later; empty: the embedded database', mongodbUrl, true),
  DATA_DIR: setting('./data', 'where the embedded database and the made SECRET_KEY are kept', folder),
  DATABASE_TIMEOUT: setting(
    '10s',
    'the time for an operation of the database; then a request is answered with 503',
    databaseTimeout,
  ),
  DISK_RESERVE_MIB: setting(
    '16',
    "MiB of the embedded database's disk kept for reading, signing in and deleting: below it what stores is a 503; 0: none",
    wholeNumber(0, 1_000_000),
  ),
  SECRET_KEY: setting(
    '',
    'at least 32 characters; empty with the embedded database: made once and kept in DATA_DIR',
    secretKey,
    true,
  ),
  SECRET_KEY_PREVIOUS: setting(
    '',
    'another SECRET_KEY that is good too, to change keys without a break: the one before; or, first, the next one',
    secretKey,
    true,
  ),
  LOG_LEVEL: setting(
    'info',
    'trace, debug, info, warn, error, fatal or silent',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  ),
  TRUST_PROXY: setting(
    'false',
    'whose X-Forwarded-For is believed: a number of proxies in a row, a list of CIDRs, or loopback; needs PUBLIC_URL',
    parseTrustProxy,
  ),
  EMBEDDED_MONGODB_LISTEN: setting(
    '',
    'a socket path or loopback host:port that opens the embedded database to mongosh; it has no password',
    socketOrLoopback,
  ),
  SMTP_URL: setting(
    '',
    "mails keyword notifications to their account's confirmed address, and members their invitations and links to a new password: smtp://user:password@host:587, or smtps://; empty: no mail",
    smtpUrl,
    true,
  ),
  SMTP_FROM: setting(
    '',
    'who mails come from; empty: the user of SMTP_URL where that is an address, else parlor@ this host',
    mailAddress,
  ),
  MAIL_DIGEST_WINDOW: setting(
    '10m',
    'keyword notifications that follow a mail within this time come together in the next one; at most 1d',
    digestWindow,
  ),
  MAILS_PER_DAY: setting(
    '50',
    'mails of keyword notifications to one account in a UTC day; the rest waits for the next; 0: any number',
    wholeNumber(0, 1_000_000),
  ),
  MAILS_PER_HOUR_TOTAL: setting(
    '1000',
    'mails to all accounts together in an hour; the rest waits for the next; 0: any number',
    wholeNumber(0, 1_000_000_000),
  ),
  CONFIRMATION_MAILS_PER_HOUR: setting(
    '100',
    'how many of those may ask to confirm an address; 0: any number',
    wholeNumber(0, 1_000_000_000),
  ),
  WEBHOOK_ALLOW_PRIVATE: setting(
    'false',
    'true: deliver to private addresses too (development)',
    trueOrFalse,
  ),
  WEBHOOK_RETRY_DELAYS: setting(
    '5s,30s,5m,30m,2h,5h,10h,14h,20h,24h',
    'pauses between the attempts of a delivery or a mail (ms, s, m, h, d)',
    retryDelays,
  ),
  WEBHOOK_TIMEOUT: setting('15s', "the time for a receiver's status line and headers", timeout),
  METRICS_TOKEN: setting(
    '',
    'opens /metrics, as a Bearer token; empty: only METRICS_LISTEN does',
    bearerToken,
    true,
  ),
  METRICS_LISTEN: setting(
    '',
    'host:port of a listener for /metrics alone, such as 127.0.0.1:9464; whoever reaches it reads them, with METRICS_TOKEN if that is set',
    hostAndPort,
  ),
  REGISTRATION: setting(
    '',
    'open, invite (account invite prints one) or closed; empty: open until the first account exists, and in a trial',
    (text) => (text === '' ? '' : oneOf('open', 'invite', 'closed')(text)),
  ),
  OIDC_ISSUER: setting(
    '',
    'a provider of OpenID Connect that members sign in at, as it names itself: https://login.example.com/realms/us; empty: none',
    oidcIssuer,
  ),
  OIDC_CLIENT_ID: setting('', 'as what that provider knows Parlor', anyText),
  OIDC_CLIENT_SECRET: setting('', 'the secret that it has given out for that', anyText, true),
  OIDC_NAME: setting('', "what the button at sign-in calls it; empty: OIDC_ISSUER's host", anyText),
  OIDC_ALLOW_PRIVATE: setting('false', 'true: it may be at a private address', trueOrFalse),
  OIDC_TIMEOUT: setting('5s', 'the time for each request to it, its response included', timeout),
  RESPONSE_STALL_TIMEOUT: setting(
    '30s',
    'a client that takes nothing of its response for this time is cut off',
    timeout,
  ),
  RATE_LIMIT: setting(
    'on',
    'off lifts all the limits below, as for a benchmark',
    (text) => oneOf('on', 'off')(text) === 'on',
  ),
  RATE_LIMIT_SIGN_IN: perMinute(10, 'sign-ins from one IP address'),
  RATE_LIMIT_OIDC: perMinute(60, 'sign-ins begun at the provider from one IP address'),
  RATE_LIMIT_REGISTER: perMinute(10, 'registrations from one IP address'),
  RATE_LIMIT_CONFIRMATION_MAIL: setting(
    '5',
    'limit per hour: requests of one account for the mail that confirms its address',
    wholeNumber(1, 1_000_000),
  ),
  RATE_LIMIT_PASSWORD_RESET: setting(
    '20',
    'limit per hour: requests for a new password by mail, from one IP address',
    wholeNumber(1, 1_000_000),
  ),
  RATE_LIMIT_WRONG_PASSWORDS: perMinute(5, 'wrong passwords for one username from one IP address'),
  RATE_LIMIT_WRONG_PASSWORDS_NAME: setting(
    '60',
    'limit per hour: wrong passwords for one username, from all addresses that it never signed in from',
    wholeNumber(1, 1_000_000),
  ),
  RATE_LIMIT_UNKNOWN: perMinute(
    120,
    'unknown tokens, widgets and conversations, and good tokens on pages of others, of one IP address',
  ),
  RATE_LIMIT_READYZ: perMinute(120, 'requests to /readyz from one IP address'),
  RATE_LIMIT_VISITOR: perMinute(20, "writes of one visitor's session"),
  RATE_LIMIT_VISITOR_IP: perMinute(120, 'writes of all visitors at one IP address'),
  RATE_LIMIT_VISITOR_READS: perMinute(120, "reads of one visitor's session"),
  RATE_LIMIT_VISITOR_READS_IP: perMinute(1_200, 'reads of all visitors at one IP address'),
  RATE_LIMIT_SESSIONS: perMinute(30, 'visitor sessions opened from one IP address'),
  RATE_LIMIT_ROOMS_DAY: setting(
    '500',
    'limit per day: rooms that visitors at one IP address open',
    wholeNumber(1, 1_000_000),
  ),
  RATE_LIMIT_API: perMinute(1_200, 'requests with one API token'),
  RATE_LIMIT_AGENT_START: perMinute(60, 'conversations started with one agent key'),
  RATE_LIMIT_AGENT_START_IP: perMinute(30, 'conversations started through the agent API from one IP address'),
  RATE_LIMIT_AGENT_START_DAY: setting(
    '2000',
    'limit per day: conversations started through the agent API from one IP address',
    wholeNumber(1, 1_000_000),
  ),
  RATE_LIMIT_AGENT_CONVERSATION: perMinute(60, 'messages in one conversation of the agent API'),
  RATE_LIMIT_AGENT_IP: perMinute(300, 'requests to the agent API from one IP address'),
  RATE_LIMIT_AGENT_KEY: perMinute(1_200, 'requests to the agent API with one agent key'),
  RATE_LIMIT_REALTIME: perMinute(120, 'realtime connections opened from one IP address'),
  REALTIME_CONNECTIONS: setting(
    '60',
    'realtime connections that one IP address may have open at once, while RATE_LIMIT is on',
    wholeNumber(1, 1_000_000),
  ),
  KEYWORD_NOTIFICATIONS_PER_DAY: setting(
    '1000',
    'keyword notifications that one account gets in a UTC day, and as many first ones of conversations; 0: any number',
    wholeNumber(0, 1_000_000),
  ),
  LLM_URL: setting(
    '',
    'an OpenAI-compatible endpoint, a base such as https://host/v1; empty: llm nodes go to on_error',
    baseAddress,
  ),
  LLM_API_KEY: setting('', 'the key of that endpoint', bearerToken, true),
  LLM_MODEL: setting('', 'the model of llm nodes that name none', anyText),
  LLM_MODELS: setting(
    '',
    'further models that llm nodes may name, separated by commas; LLM_MODEL is always one',
    (text): readonly string[] => text.split(',').flatMap((name) => name.trim() || []),
  ),
  LLM_TIMEOUT: setting('30s', 'the time for an answer, repeated attempts included', timeout),
  LLM_CONTEXT_TOKENS: setting(
    '8192',
    "the model's window: a request and its answer, in tokens",
    wholeNumber(256, 10_000_000),
  ),
  LLM_TOKENS_PER_ADDRESS: setting(
    '100000',
    'tokens that the conversations of one client address may use in a UTC day; 0: any number',
    wholeNumber(0, 1_000_000_000),
  ),
  LLM_TOKENS_PER_DAY: setting(
    '500000',
    'tokens that the workflows of one account may use in a UTC day; 0: any number',
    wholeNumber(0, 1_000_000_000),
  ),
  LLM_TOKENS_PER_DAY_TOTAL: setting(
    '2000000',
    'tokens that the workflows of all accounts may use in a UTC day; 0: any number',
    wholeNumber(0, 1_000_000_000),
  ),
  LLM_TOKENS_PER_CONVERSATION: setting(
    '50000',
    'tokens that one conversation may use; 0: any number',
    wholeNumber(0, 1_000_000_000),
  ),
  LLM_ALLOW_PRIVATE: setting(
    'true',
    'false: LLM_URL may not lead to a private address, such as a model on this machine',
    trueOrFalse,
  ),
  BOT_WAIT_MS: setting(
    '1500',
    "how long POST message waits for the answer of the room's bot; 0: not at all",
    wholeNumber(0, 30_000),
  ),
} satisfies Record<string, Setting<unknown>>;
