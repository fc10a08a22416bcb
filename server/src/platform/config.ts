import ipaddr from 'ipaddr.js';
import { type Duration, parseDuration } from './duration.ts';
import { isMailAddress } from './mail-address.ts';
import { parseTrustProxy } from './trust-proxy.ts';

/** A setting whose value can't be used; the text names the variable and what it got, on one line. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

interface Setting<T> {
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

const expected = (what: string): never => {
  throw new Error(what);
};

const anyText = (text: string): string => text;

const folder = (text: string): string => (text.trim() === '' ? expected('the path of a folder') : text);

const wholeNumber = (min: number, max: number) => (text: string) => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : expected(`a whole number from ${min} to ${max}`);
};

const oneOf =
  <const T extends string>(...values: T[]) =>
  (text: string): T =>
    values.find((value) => value === text) ?? expected(`one of ${values.join(', ')}`);

const trueOrFalse = (text: string): boolean => oneOf('true', 'false')(text) === 'true';

const webAddress = (text: string): string => {
  if (text === '') return '';
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return expected('an http or https URL');
  return text.replace(/\/+$/, '');
};

/** A path would have to be added to every route, cookie and address; a proxy gives Parlor a name of its own. */
const webOrigin = (text: string): string => {
  if (text === '') return '';
  const isOrigin = /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) && URL.canParse(text);
  return isOrigin ? new URL(text).origin : expected('an http or https URL without a path');
};

const mongodbUrl = (text: string): string =>
  text === '' || /^mongodb(\+srv)?:\/\/\S+$/.test(text)
    ? text
    : expected('a URL that starts with mongodb:// or mongodb+srv://');

/** Whether EMBEDDED_MONGODB_LISTEN names a port, which every user of this machine can connect to. */
export const isLoopbackPort = (listen: string): boolean =>
  /^(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}$/.test(listen);

const socketOrLoopback = (text: string): string =>
  text === '' || /^(\.{0,2}\/|[A-Za-z]:\\)/.test(text) || isLoopbackPort(text)
    ? text
    : expected('a socket path, or 127.0.0.1:port, localhost:port or [::1]:port');

const hostAndPort = (text: string): { host: string; port: number } | undefined => {
  if (text === '') return undefined;
  const [, inBrackets, name, digits] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = inBrackets ?? name;
  const port = Number(digits);
  return host && port >= 1 && port <= 65_535 ? { host, port } : expected('host:port, such as 127.0.0.1:9464');
};

const smtpUrl = (text: string): string =>
  text === '' || (/^smtps?:\/\/\S+$/.test(text) && URL.canParse(text) && new URL(text).hostname !== '')
    ? text
    : expected('a URL that starts with smtp:// or smtps://');

const mailAddress = (text: string): string =>
  text === '' || isMailAddress(text) ? text : expected('an e-mail address');

const secretKey = (text: string): string =>
  text === '' || text.length >= 32 ? text : expected('at least 32 characters');

/** Less than a second would take a pause of the machine for a database that is gone. */
const databaseTimeout = (text: string): Duration => {
  const timeout = parseDuration(text);
  return timeout >= 1_000 ? timeout : expected('a duration of at least 1s');
};

const perMinute = (fallback: number, what: string): Setting<number> =>
  setting(String(fallback), `at most so many a minute: ${what}`, wholeNumber(1, 1_000_000));

/** Notifications that wait longer than some days are not mailed at all. */
const digestWindow = (text: string): Duration => {
  const window = parseDuration(text);
  return window <= 86_400_000 ? window : expected('a duration of at most 1d');
};

/** Every variable that Parlor reads, with its default; written here once (docs/contract.md#operation). */
const SETTINGS = {
  HOST: setting('127.0.0.1', 'address to listen on; 0.0.0.0 lets other machines in', anyText),
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
    "mails keyword notifications to their account's confirmed address: smtp://user:password@host:587, or smtps://; empty: no mail",
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
    'keyword notifications that follow a mail within so long come together in the next one; at most 1d',
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
    (text): readonly Duration[] => text.split(',').map((part) => parseDuration(part.trim())),
  ),
  WEBHOOK_TIMEOUT: setting('15s', "the time for a receiver's status line and headers", parseDuration),
  METRICS_TOKEN: setting(
    '',
    'opens /metrics, as a Bearer token; empty: only METRICS_LISTEN does',
    anyText,
    true,
  ),
  METRICS_LISTEN: setting(
    '',
    'host:port of a listener for /metrics alone, such as 127.0.0.1:9464; whoever reaches it reads them',
    hostAndPort,
  ),
  REGISTRATION: setting(
    '',
    'open, invite (account invite prints one) or closed; empty: open until the first account exists, and in a trial',
    (text) => (text === '' ? '' : oneOf('open', 'invite', 'closed')(text)),
  ),
  RESPONSE_STALL_TIMEOUT: setting(
    '30s',
    'a client that takes nothing of its answer for so long is cut off',
    parseDuration,
  ),
  RATE_LIMIT: setting(
    'on',
    'off lifts all the limits below, as for a benchmark',
    (text) => oneOf('on', 'off')(text) === 'on',
  ),
  RATE_LIMIT_SIGN_IN: perMinute(10, 'sign-ins from one IP address'),
  RATE_LIMIT_REGISTER: perMinute(10, 'registrations from one IP address'),
  RATE_LIMIT_CONFIRMATION_MAIL: setting(
    '5',
    'at most so many an hour: requests of one account for the mail that confirms its address',
    wholeNumber(1, 1_000_000),
  ),
  RATE_LIMIT_WRONG_PASSWORDS: perMinute(5, 'wrong passwords for one username from one IP address'),
  RATE_LIMIT_WRONG_PASSWORDS_NAME: setting(
    '60',
    'at most so many an hour: wrong passwords for one username, from all addresses that it never signed in from',
    wholeNumber(1, 1_000_000),
  ),
  RATE_LIMIT_UNKNOWN: perMinute(120, 'unknown tokens and widgets that one IP address asks with'),
  RATE_LIMIT_READYZ: perMinute(120, 'requests to /readyz from one IP address'),
  RATE_LIMIT_VISITOR: perMinute(20, "writes of one visitor's session"),
  RATE_LIMIT_VISITOR_IP: perMinute(120, 'writes of all visitors at one IP address'),
  RATE_LIMIT_SESSIONS: perMinute(30, 'visitor sessions opened from one IP address'),
  RATE_LIMIT_ROOMS_DAY: setting(
    '500',
    'at most so many a day: rooms that visitors at one IP address open',
    wholeNumber(1, 1_000_000),
  ),
  RATE_LIMIT_API: perMinute(1_200, 'requests with one API token'),
  RATE_LIMIT_AGENT_START: perMinute(60, 'conversations started with one agent key'),
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
    'keyword notifications that one account gets in a UTC day; 0: any number',
    wholeNumber(0, 1_000_000),
  ),
  LLM_URL: setting(
    '',
    'an OpenAI-compatible endpoint, a base such as https://host/v1; empty: llm nodes go to on_error',
    webAddress,
  ),
  LLM_API_KEY: setting('', 'the key of that endpoint', anyText, true),
  LLM_MODEL: setting('', 'the model of llm nodes that name none', anyText),
  LLM_MODELS: setting(
    '',
    'further models that llm nodes may name, separated by commas; LLM_MODEL is always one',
    (text): readonly string[] => text.split(',').flatMap((name) => name.trim() || []),
  ),
  LLM_TIMEOUT: setting('30s', 'the time for an answer, repeated attempts included', parseDuration),
  LLM_CONTEXT_TOKENS: setting(
    '8192',
    "the model's window: a request and its answer, in tokens",
    wholeNumber(256, 10_000_000),
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

export type Config = Readonly<{
  [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']>;
}>;

/** Whether HOST lets in this machine alone. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');

/**
 * Whether nobody else reads or writes the database: then what is in memory needs no asking, and other processes' traces
 * are those of dead ones. An embedded database that listens may have other clients.
 */
export const isOnlyProcess = ({
  MONGODB_URL,
  EMBEDDED_MONGODB_LISTEN,
}: Pick<Config, 'MONGODB_URL' | 'EMBEDDED_MONGODB_LISTEN'>): boolean =>
  MONGODB_URL === '' && EMBEDDED_MONGODB_LISTEN === '';

/** Somebody tries Parlor out on their own machine: nobody else can reach it, and nothing but this try is in it. */
export const isTrial = ({
  HOST,
  MONGODB_URL,
  PUBLIC_URL,
}: Pick<Config, 'HOST' | 'MONGODB_URL' | 'PUBLIC_URL'>): boolean =>
  MONGODB_URL === '' && PUBLIC_URL === '' && isLoopback(HOST);

/** Secrets that are no URLs: nothing of them is ever shown. */
const UNSEEN = new Set(['SECRET_KEY', 'SECRET_KEY_PREVIOUS', 'METRICS_TOKEN', 'LLM_API_KEY']);

/** The password inside a URL, replaced by ***; anything else as it is. */
export const maskPassword = (text: string): string => text.replace(/(\/\/[^/@]*?:)\S*@/, '$1***@');

/**
 * Reads and checks the environment.
 * @throws ConfigError that names the first variable that is wrong and what it got.
 */
export const loadConfig = (env: Record<string, string | undefined>): Config => {
  const config: Record<string, unknown> = {};
  for (const [name, { fallback, parse }] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const value = env[name] ?? fallback;
    try {
      config[name] = parse(value);
    } catch (error) {
      const got = UNSEEN.has(name) ? `${value.length} characters` : `"${maskPassword(value)}"`;
      throw new ConfigError(`${name} must be ${(error as Error).message}, but is ${got}`);
    }
  }
  if (config.MONGODB_URL !== '' && config.SECRET_KEY === '') {
    throw new ConfigError(
      'SECRET_KEY must be set when MONGODB_URL is (the same on every server), but is empty; ' +
        'one can be made with: openssl rand -hex 32',
    );
  }
  if (config.PUBLIC_URL === '' && (config.TRUST_PROXY !== false || !isLoopback(String(config.HOST)))) {
    const why = config.TRUST_PROXY === false ? `HOST is ${config.HOST}` : 'TRUST_PROXY is set';
    throw new ConfigError(
      `PUBLIC_URL must be set when ${why}: how browsers reach this server, such as https://chat.example.com`,
    );
  }
  return Object.freeze(config) as Config;
};

/** A line for each variable: name, value in force (secrets masked), meaning. */
export const describeConfig = (env: Record<string, string | undefined>): string =>
  Object.entries<Setting<unknown>>(SETTINGS)
    .map(([name, { fallback, meaning, secret }]) => {
      const value = env[name] ?? fallback;
      const shown = secret && value !== '' ? (UNSEEN.has(name) ? '***' : maskPassword(value)) : value;
      return `${name}=${shown}\n    ${meaning}${env[name] === undefined ? '' : ` (default: ${fallback || 'empty'})`}`;
    })
    .join('\n');
