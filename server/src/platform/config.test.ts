import { describe, expect, it } from 'vitest';
import { ConfigError, describeConfig, isOnlyProcess, isTrial, loadConfig } from './config.ts';

describe('trial mode', () => {
  it.each([
    ['nothing set', {}, true],
    ['HOST=localhost', { HOST: 'localhost' }, true],
    ['HOST=::1', { HOST: '::1' }, true],
    ['HOST=127.0.0.2', { HOST: '127.0.0.2' }, true],
    ['HOST=0.0.0.0', { HOST: '0.0.0.0' }, false],
    ['HOST=::', { HOST: '::' }, false],
    ['an empty HOST', { HOST: '' }, false],
    ['a name for HOST', { HOST: 'localhost.example.com' }, false],
    ['a PUBLIC_URL', { PUBLIC_URL: 'https://chat.example.com' }, false],
    ['a MONGODB_URL', { MONGODB_URL: 'mongodb://127.0.0.1', SECRET_KEY: 'x'.repeat(32) }, false],
  ])('with %s: %o is %s', (_, env: Record<string, string>, expected) => {
    expect(isTrial({ ...loadConfig({}), ...env })).toBe(expected);
  });
});

describe('PUBLIC_URL', () => {
  it.each([
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '192.0.2.1' },
    { TRUST_PROXY: 'loopback' },
    { TRUST_PROXY: '1' },
  ])('is required with %o, since nothing that a request says names the server', (env) => {
    expect(() => loadConfig(env)).toThrow(/^PUBLIC_URL must be set when (HOST|TRUST_PROXY) is [^\n]+$/);
    expect(loadConfig({ ...env, PUBLIC_URL: 'https://chat.example.com' })).toMatchObject({
      PUBLIC_URL: 'https://chat.example.com',
    });
  });

  it.each([
    ...['https://*.example.com', 'https://a,b.example.com', "https://a'b;c.example.com", 'https://a..b'],
    ...['https://a"b', 'https://a(b)', 'https://a=b', 'https://x:0', 'http://127.0.0.1:0/'],
  ])('%s names no server, and is refused', (PUBLIC_URL) => {
    expect(() => loadConfig({ PUBLIC_URL })).toThrow(/^PUBLIC_URL must be a URL with [^\n]+$/);
  });

  it.each([
    ['https://Chat.Example.com/', 'https://chat.example.com'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://parlor_1:8080', 'http://parlor_1:8080'],
    ['https://example.com.:444', 'https://example.com.:444'],
    ['http://192.0.2.1', 'http://192.0.2.1'],
    ['http://[2001:DB8::1]:8080', 'http://[2001:db8::1]:8080'],
  ])('%s is %s', (PUBLIC_URL, origin) => {
    expect(loadConfig({ PUBLIC_URL })).toMatchObject({ PUBLIC_URL: origin });
  });

  it('is not asked for on this machine', () => {
    for (const HOST of ['127.0.0.1', 'localhost', '::1']) loadConfig({ HOST });
    expect(() => loadConfig({ TRUST_PROXY: 'true' })).toThrow(ConfigError);
  });
});

describe('the only process on its database', () => {
  const SECRET_KEY = 'x'.repeat(32);
  it.each([
    ['the embedded database', {}, true],
    ['a MongoDB', { MONGODB_URL: 'mongodb://127.0.0.1', SECRET_KEY }, false],
    ['an embedded database on a port', { EMBEDDED_MONGODB_LISTEN: '127.0.0.1:27018' }, false],
    ['an embedded database on a socket', { EMBEDDED_MONGODB_LISTEN: '/run/parlor/db.sock' }, false],
  ])('with %s: %o is %s', (_, env: Record<string, string>, expected) => {
    expect(isOnlyProcess(loadConfig(env))).toBe(expected);
  });
});

describe('SMTP_URL', () => {
  it.each(['smtp://ada%zz:secret@mail.example.com', 'smtp://ada:50%@mail.example.com'])(
    'is refused when its user or password is no text',
    (SMTP_URL) => {
      expect(() => loadConfig({ SMTP_URL })).toThrow(ConfigError);
      expect(() => loadConfig({ SMTP_URL })).toThrow(
        /^SMTP_URL [^\n]*a % in user and password written as %25[^\n]*$/,
      );
      expect(() => loadConfig({ SMTP_URL })).not.toThrow(/secret|50/);
    },
  );
});

it.each([
  ['MONGODB_URL', 'mongodb://ada:hidden@db.example.com/parlor', 'mongodb://ada:***@db.example.com/parlor'],
  [
    'MONGODB_URL',
    'mongodb://db.example.com/?proxyHost=a&proxyPassword=hidden&tls=true',
    '&proxyPassword=***&tls=true',
  ],
  [
    'MONGODB_URL',
    'mongodb://db/?authMechanismProperties=AWS_SESSION_TOKEN:hidden',
    'authMechanismProperties=***',
  ],
  [
    'SMTP_URL',
    'smtp://ada@example.com:hidden@mail.example.com:587',
    'smtp://ada@example.com:***@mail.example.com:587',
  ],
  ['SMTP_URL', 'smtp://ada:hid/den@mail@example.com', 'smtp://ada:***@example.com'],
  // A start refuses them for it.
  ['LLM_URL', 'https://ada:hidden@llm.example.com/v1', 'LLM_URL=https://ada:***@llm.example.com/v1'],
  ['PUBLIC_URL', 'https://ada:hidden@chat.example.com', 'PUBLIC_URL=https://ada:***@chat.example.com'],
])('shows the secrets of no URL: %s %s', (name, url, shown) => {
  expect(describeConfig({ [name]: url })).toContain(shown);
  expect(describeConfig({ [name]: url })).not.toMatch(/hidden|hid\/den/);
});

describe('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET', () => {
  const all = {
    OIDC_ISSUER: 'https://login.example.com/realms/us/',
    OIDC_CLIENT_ID: 'parlor',
    OIDC_CLIENT_SECRET: 'unseen',
  };

  it('are set together', () => {
    expect(loadConfig(all)).toMatchObject(all);
    for (const name of Object.keys(all)) {
      const message = new RegExp(`^${name} must be set when OIDC_[A-Z_]+ is, but is empty$`);
      expect(() => loadConfig({ ...all, [name]: '' })).toThrow(message);
      expect(() => loadConfig({ ...all, [name]: '' })).toThrow(ConfigError);
    }
  });

  it('name a provider by https, or on this machine', () => {
    for (const OIDC_ISSUER of ['http://127.0.0.1:9000', 'http://localhost:9000/a', 'http://[::1]:9000']) {
      expect(loadConfig({ ...all, OIDC_ISSUER, OIDC_ALLOW_PRIVATE: 'true' })).toMatchObject({ OIDC_ISSUER });
      expect(() => loadConfig({ ...all, OIDC_ISSUER })).toThrow(/^OIDC_ALLOW_PRIVATE must be true/);
    }
    for (const OIDC_ISSUER of [
      'http://login.example.com',
      'login.example.com',
      'https://',
      'https://ada:secret@login.example.com',
      'https://login.example.com/?a=b',
      'https://login.example.com/#a',
      'https://login.example.com/.well-known/openid-configuration',
      'ftp://login.example.com',
    ]) {
      expect(() => loadConfig({ ...all, OIDC_ISSUER })).toThrow(/^OIDC_ISSUER must be [^\n]+$/);
      expect(() => loadConfig({ ...all, OIDC_ISSUER })).not.toThrow(/secret/);
    }
  });

  it('show nothing of the secret', () => {
    expect(describeConfig(all)).toContain('OIDC_CLIENT_SECRET=***');
    expect(describeConfig(all)).not.toContain('unseen');
  });
});

it('refuses a METRICS_TOKEN that no request can carry', () => {
  const env = { METRICS_TOKEN: 'a-token/with=signs!' };
  expect(loadConfig(env)).toMatchObject(env);
  for (const METRICS_TOKEN of ['two words', 'a\ttab', 'trailing ', 'schlüssel']) {
    expect(() => loadConfig({ METRICS_TOKEN })).toThrow(/METRICS_TOKEN .*without spaces/);
  }
});

it('refuses a METRICS_LISTEN where Parlor itself listens, and takes the same port of another address', () => {
  const open = { PORT: '9302', PUBLIC_URL: 'https://chat.example.com' };
  for (const [HOST, METRICS_LISTEN] of [
    ['127.0.0.1', '127.0.0.1:9302'],
    ['0.0.0.0', '127.0.0.1:9302'],
    ['127.0.0.1', '0.0.0.0:9302'],
  ]) {
    expect(() => loadConfig({ ...open, HOST, METRICS_LISTEN })).toThrow(
      /^METRICS_LISTEN must have another port than PORT, which is 9302$/,
    );
  }
  const config = loadConfig({ ...open, HOST: '127.0.0.1', METRICS_LISTEN: '127.0.0.2:9302' });
  expect(config.METRICS_LISTEN).toMatchObject({ port: 9302 });
});

describe('durations', () => {
  const TIMES = ['WEBHOOK_TIMEOUT', 'OIDC_TIMEOUT', 'RESPONSE_STALL_TIMEOUT', 'LLM_TIMEOUT'] as const;

  it.each(TIMES)('of %s are refused where a timer can not keep them', (name) => {
    for (const value of ['1ms', '20s', '24h', '1d'])
      expect(() => loadConfig({ [name]: value })).not.toThrow();
    for (const value of ['0s', '25h', '30d', '999999999d']) {
      const message = `${name} must be a duration from 1ms to 1d, but is "${value}"`;
      expect(() => loadConfig({ [name]: value })).toThrow(new ConfigError(message));
    }
  });

  it('of DATABASE_TIMEOUT are from 1s to 1d', () => {
    expect(loadConfig({ DATABASE_TIMEOUT: '1d' })).toMatchObject({ DATABASE_TIMEOUT: 86_400_000 });
    for (const DATABASE_TIMEOUT of ['999ms', '30d']) {
      expect(() => loadConfig({ DATABASE_TIMEOUT })).toThrow(
        `DATABASE_TIMEOUT must be a duration from 1s to 1d, but is "${DATABASE_TIMEOUT}"`,
      );
    }
  });

  it('of WEBHOOK_RETRY_DELAYS lead to days that there are', () => {
    expect(loadConfig({ WEBHOOK_RETRY_DELAYS: '0s, 30d' })).toMatchObject({
      WEBHOOK_RETRY_DELAYS: [0, 2_592_000_000],
    });
    expect(() => loadConfig({ WEBHOOK_RETRY_DELAYS: '5s,999999999d' })).toThrow(
      'WEBHOOK_RETRY_DELAYS must be durations of at most 30d',
    );
  });
});

describe('LLM_URL and LLM_API_KEY', () => {
  it('have nothing that is not sent, or is shown', () => {
    expect(loadConfig({ LLM_URL: 'http://127.0.0.1:11434/v1/' })).toMatchObject({
      LLM_URL: 'http://127.0.0.1:11434/v1',
    });
    for (const LLM_URL of [
      'llm.example.com/v1',
      'https://ada:hidden@llm.example.com/v1',
      'https://llm.example.com/v1?api-version=1',
      'https://llm.example.com/v1#a',
    ]) {
      expect(() => loadConfig({ LLM_URL })).toThrow(/^LLM_URL must be an http or https URL without [^\n]+$/);
      expect(() => loadConfig({ LLM_URL })).not.toThrow(/hidden/);
    }
  });

  it('fit into a request', () => {
    for (const LLM_API_KEY of ['two\nlines', 'schlüssel']) {
      expect(() => loadConfig({ LLM_API_KEY })).toThrow(/^LLM_API_KEY must be a token without spaces/);
      expect(() => loadConfig({ LLM_API_KEY })).not.toThrow(LLM_API_KEY);
    }
  });
});
