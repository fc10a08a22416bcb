import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { auditOf } from '../../../test/audit.ts';

const app = testApp({
  TRUST_PROXY: 'loopback',
  PUBLIC_URL: 'https://chat.example.com',
  REGISTRATION: 'open',
});
const { trail, signIn } = auditOf(app);
const PASSWORD = 'a long enough secret';

describe('sign-ins', () => {
  let account: Awaited<ReturnType<typeof app.account>>;
  beforeAll(async () => {
    account = await app.account();
  });
  const failed = async () => {
    // What was counted is written once a second.
    let entries: { count: number; address: string | null; actor: object; object: object }[] = [];
    await expect
      .poll(
        async () => {
          entries = await trail(account.token, '?action=failedSignIn');
          return entries.reduce((sum, { count }) => sum + count, 0);
        },
        { timeout: 60_000 },
      )
      .toBe(42);
    return entries;
  };

  it('from one address in one hour are one entry that counts', async () => {
    for (let n = 0; n < 3; n++) await signIn(account.username, PASSWORD, '203.0.113.1');
    await signIn(account.username, PASSWORD, '203.0.113.2');
    const entries = await trail(account.token, '?action=obtainToken');
    // An hour may have turned meanwhile.
    const of = (wanted: string) =>
      entries
        .filter(({ address }: { address: string }) => address === wanted)
        .reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    expect([of('203.0.113.1'), of('203.0.113.2')]).toEqual([3, 1]);
    expect(entries[0].object).toEqual({ kind: 'member', uuid: account.id, label: account.username });
  });

  it('that fail have at most eleven entries an hour, however many addresses guess', async () => {
    for (let from = 0; from < 20; from++) {
      const addresses = [`198.51.100.${from}`, `198.51.100.${from}`];
      await Promise.all(addresses.map((address) => signIn(account.username, 'a wrong password', address)));
    }
    await signIn('nobody-has-this-name', 'a wrong password');
    const cookie = {
      old_password: 'wrong',
      password: 'another long secret',
      password2: 'another long secret',
    };
    for (let n = 0; n < 2; n++)
      await app.request('POST', '/api/v1/auth/password', { token: account.token, body: cookie });
    const entries = await failed();
    expect(entries.length).toBeLessThanOrEqual(2 * 11);
    const shared = entries.filter(({ address }) => address === null);
    expect(shared.length).toBeGreaterThan(0);
    for (const { actor, object } of entries) {
      expect(actor).toEqual({ kind: 'unknown', uuid: null, name: '', token: null });
      expect(object).toMatchObject({ uuid: account.id });
    }
  });
});
