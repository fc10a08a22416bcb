import { isLoopback, isLoopbackUrl } from './setting-values.ts';
import { SETTINGS, type Setting } from './settings.ts';

/** A setting whose value can't be used; the text names the variable and what it got, on one line. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

export type Config = Readonly<{
  [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']>;
}>;

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
const UNSEEN = new Set([
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'METRICS_TOKEN',
  'LLM_API_KEY',
  'OIDC_CLIENT_SECRET',
]);

/**
 * The password inside a URL, and options that hold secrets, replaced by ***; anything else as it is. Users may be e-mail
 * addresses, and passwords may hold what is no part of a URL: it is what stands between the first colon and the last @.
 */
export const maskPassword = (text: string): string =>
  text
    .replace(/:(?!\/\/).*@/s, ':***@')
    .replace(/([?&](?:[^=&]*password|authMechanismProperties)=)[^&]*/gi, '$1***');

/** So much of a wrong value is repeated, on one line. */
const MAX_SHOWN = 100;

const quote = (value: string): string =>
  JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);

/**
 * Reads and checks the environment.
 * @throws ConfigError that names the first variable that is wrong and what it got.
 */
export const loadConfig = (env: Record<string, string | undefined>): Config => {
  const config: Record<string, unknown> = {};
  for (const [name, { fallback, parse, secret }] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const value = env[name] ?? fallback;
    try {
      config[name] = parse(value);
    } catch (error) {
      const got = secret ? `${value.length} characters` : quote(maskPassword(value));
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
  checkOidc(config as Config);
  checkMetricsListen(config as Config);
  return Object.freeze(config) as Config;
};

/** @throws ConfigError */
const checkOidc = (config: Config): void => {
  const names = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
  const set = names.find((name) => config[name] !== '');
  const missing = names.find((name) => config[name] === '');
  if (set && missing) throw new ConfigError(`${missing} must be set when ${set} is, but is empty`);
  if (set && !config.OIDC_ALLOW_PRIVATE && isLoopbackUrl(config.OIDC_ISSUER)) {
    throw new ConfigError('OIDC_ALLOW_PRIVATE must be true when OIDC_ISSUER is on this machine');
  }
};

/** The same port is another listener's on another address alone. @throws ConfigError */
const checkMetricsListen = ({ HOST, PORT, METRICS_LISTEN: at }: Config): void => {
  if (!at || at.port !== PORT || PORT === 0) return;
  if (at.host === HOST || [at.host, HOST].some((host) => host === '0.0.0.0' || host === '::'))
    throw new ConfigError(`METRICS_LISTEN must have another port than PORT, which is ${PORT}`);
};

/** A line for each variable: name, value (secrets and passwords masked), meaning. Values that `loadConfig` refuses are shown like others. */
export const describeConfig = (env: Record<string, string | undefined>): string =>
  Object.entries<Setting<unknown>>(SETTINGS)
    .map(([name, { fallback, meaning }]) => {
      const value = env[name] ?? fallback;
      const shown = UNSEEN.has(name) && value !== '' ? '***' : maskPassword(value);
      return `${name}=${shown}\n    ${meaning}${env[name] === undefined ? '' : ` (default: ${fallback || 'empty'})`}`;
    })
    .join('\n');
