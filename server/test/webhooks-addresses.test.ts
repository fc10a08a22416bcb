import { Resolver } from 'node:dns/promises';
import { describe, expect, test } from 'vitest';
import { startDns } from './dns-server.ts';
import { firstAttemptWith, type Options, startReceiver, until, webhookParts } from './webhooks-parts.ts';

const NO_PUBLIC_ADDRESS = 'the name has no public address';

const start = webhookParts();
const firstAttempt = firstAttemptWith(start);

describe('requests into the inside', () => {
  const refusing = (server: string): Options => ({
    env: { WEBHOOK_ALLOW_PRIVATE: 'false', WEBHOOK_TIMEOUT: '2s' },
    outgoing: { dnsServers: [server] },
  });

  test('the stub answers', async () => {
    const { server } = await startDns(() => ({ a: ['127.0.0.1'], aaaa: ['64:ff9b::7f00:1'] }));
    const resolver = new Resolver();
    resolver.setServers([server]);
    expect(await resolver.resolve4('any.example')).toEqual(['127.0.0.1']);
    expect(await resolver.resolve6('any.example')).toEqual(['64:ff9b::7f00:1']);
  });

  test.each<[string, { a?: string[]; aaaa?: string[] }]>([
    ['loopback', { a: ['127.0.0.1'] }],
    ['a private network', { a: ['10.1.2.3'] }],
    ['the metadata service', { a: ['169.254.169.254'] }],
    ['::1', { aaaa: ['::1'] }],
    ['an IPv4-mapped address', { aaaa: ['::ffff:7f00:1'] }],
    ['a NAT64 address', { aaaa: ['64:ff9b::7f00:1'] }],
    ['a 6to4 address', { aaaa: ['2002:7f00:1::'] }],
    ['a unique local address', { aaaa: ['fd00::1'] }],
    ['public and private addresses', { a: ['192.0.43.8', '127.0.0.1'] }],
    ['a public IPv4 and a private IPv6 one', { a: ['192.0.43.8'], aaaa: ['::1'] }],
    ['0.0.0.0', { a: ['0.0.0.0'] }],
  ])('a name that resolves to %s is not connected to', async (_, zone) => {
    const { server } = await startDns(() => zone);
    const receiver = await startReceiver();
    const { attempt } = await firstAttempt(`http://hook.example:${receiver.port}/`, refusing(server));
    expect(attempt.status).toBeNull();
    expect(attempt.error).toBe(NO_PUBLIC_ADDRESS);
    expect(receiver.connections).toBe(0);
  });

  test('nor is one that changes its mind at the second look-up', async () => {
    const { server, asked } = await startDns((_, question) => ({
      a: [question === 1 ? '192.0.2.123' : '127.0.0.1'],
    }));
    const receiver = await startReceiver();
    const { subscribe, happen, rows } = await start({
      env: { WEBHOOK_ALLOW_PRIVATE: 'false', WEBHOOK_TIMEOUT: '300ms', WEBHOOK_RETRY_DELAYS: '50ms,50ms' },
      outgoing: { dnsServers: [server] },
    });
    const uuid = await subscribe(`http://rebind.example:${receiver.port}/`);
    await happen({ n: 1 });
    const row = await until(async () => (await rows(uuid)).find(({ state }) => state === 'failed'));
    expect(asked.length).toBeGreaterThanOrEqual(2);
    expect(row.attempts.at(-1)?.error).toBe(NO_PUBLIC_ADDRESS);
    expect(receiver.connections).toBe(0);
  });

  test('nor is a literal that came into the database another way', async () => {
    const { server } = await startDns(() => ({}));
    const receiver = await startReceiver();
    const { models, subscribe, happen, rows } = await start(refusing(server));
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433']) {
      const uuid = await subscribe('http://public.example/');
      await models.webhooks.updateOne(
        { _id: uuid },
        { $set: { target: `http://${host}:${receiver.port}/` } },
      );
      await happen({ n: 1 });
      const row = await until(async () => (await rows(uuid)).find(({ tries }) => tries > 0));
      expect(row.attempts[0]?.error).toMatch(/^\S+ is not a public address$/);
      await models.webhooks.deleteOne({ _id: uuid });
    }
    expect(receiver.connections).toBe(0);
  });

  test('nor is a port of mail that came into the database another way', async () => {
    const { models, subscribe, happen, rows } = await start({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
    const uuid = await subscribe('http://public.example/');
    await models.webhooks.updateOne({ _id: uuid }, { $set: { target: 'http://127.0.0.1:25/' } });
    await happen({ n: 1 });
    const row = await until(async () => (await rows(uuid)).find(({ tries }) => tries > 0));
    expect(row.attempts[0]?.error).toBe('port 25 is not allowed');
  });

  test('names that do not exist, told as those inside are, and name servers that fail, are failed attempts', async () => {
    const { server } = await startDns(() => ({}));
    const { attempt } = await firstAttempt('http://nobody.example/', refusing(server));
    expect(attempt).toMatchObject({ status: null, error: NO_PUBLIC_ADDRESS });
    const silent = await firstAttempt('http://nobody.example/', refusing('127.0.0.1:9'));
    expect(silent.attempt.error).toMatch(/name|connection refused|no status line/);
  });
});
