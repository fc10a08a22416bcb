import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import type { Fixtures } from '../../../test/fixtures.ts';
import { changed, type Line, movedAccounts } from '../../../test/moved-accounts.ts';
import { png } from '../../../test/pictures.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });
const { moved, read } = movedAccounts(app);

/** A password's hash as it is stored, of another cost or form. */
const hashed = (cost: string, salt = 'A'.repeat(22), hash = 'A'.repeat(43)) =>
  `$argon2id$v=19$${cost}$${salt}$${hash}`;

const binary = (bytes: Buffer) => ({ $binary: { base64: bytes.toString('base64'), subType: '00' } });

const TODAY = 'm=19456,t=2,p=1';

const HASHES = [
  'x',
  ...[hashed('m=19456,t=4000000000,p=1'), hashed('m=4194304,t=2,p=1'), hashed('m=19456,t=2,p=200')],
  ...[hashed('m=19456,t=6,p=1'), hashed('m=65537,t=1,p=1'), hashed('m=8,t=1,p=4'), hashed('m=0,t=0,p=0')],
  ...[
    hashed('m=019456,t=2,p=1'),
    hashed(TODAY, 'A'.repeat(60)),
    hashed(TODAY, 'A'.repeat(22), 'B'.repeat(43)),
  ],
  hashed(TODAY).replace('argon2id', 'argon2d'),
];

const SECRETS = ['x', 'whsec_', 'whsec_AAAA', 'whsec_!', `whsec_${'A'.repeat(43)}`, 'A'.repeat(44)];

/** A kind, what is written into one of it, and what is said of that. */
type Case = [kind: string, change: Record<string, unknown>, said: string];

const CASES: Case[] = [
  ...HASHES.flatMap((password): Case[] => [
    ['account', { password }, 'password: No hash of a password'],
    ['members', { password }, 'password: No hash of a password'],
  ]),
  ['account', { token_sealed: 'x' }, 'token_sealed: Not as a server makes it.'],
  ['account', { totp_sealed: 'x!' }, 'totp_sealed: Not as a server makes it.'],
  ['account', { totp_pending_sealed: 'A'.repeat(100) }, 'totp_pending_sealed: Not as a server makes it.'],
  ['account', { recovery_hashes: ['x'] }, 'recovery_hashes.0: Not as a server makes it.'],
  ['account', { recovery_hashes: Array(11).fill('a'.repeat(64)) }, 'recovery_hashes: '],
  ['account', { avatar: '/../../x' }, 'avatar: Not as a server makes it.'],
  ['account', { founder: 'x' }, 'founder: '],
  ['account', { version: 0.5 }, 'version: '],
  ['account', { version: Number.MAX_SAFE_INTEGER }, 'version: '],
  ['avatars', { bytes: binary(Buffer.from('x')) }, 'bytes: No picture as a server keeps it.'],
  [
    'avatars',
    { bytes: binary(Buffer.concat([png(), Buffer.from('<script>')])) },
    'bytes: No picture as a server keeps it.',
  ],
  ['members', { invitation_hash: 'x' }, 'invitation_hash: Not as a server makes it.'],
  ['tokens', { token_sealed: 'a'.repeat(40) }, 'token_sealed: Not as a server makes it.'],
  ['widgets', { token: 'a b' }, 'token: Not as a server makes it.'],
  ['workflows', { key_sealed: 'x' }, 'key_sealed: Not as a server makes it.'],
  // It is not here yet.
  ['workflows', { room_bot_of: randomUUID() }, 'room_bot_of: it names another account'],
  ['deliveries', { event_id: 'a\r\nb' }, 'event_id: Not as a server makes it.'],
  ...SECRETS.flatMap((secret): Case[] => [
    ['webhooks', { secret_sealed: secret }, 'secret_sealed: No signing secret.'],
    ['webhooks', { previous_sealed: secret }, 'previous_sealed: No list of secrets.'],
    [
      'webhooks',
      { previous_sealed: JSON.stringify([{ secret, expires_at: '2026-01-01T00:00:00.000Z' }]) },
      'previous_sealed: No list of secrets.',
    ],
  ]),
];

describe('an import of what servers alone write', () => {
  let fixtures: Fixtures;
  let id = '';
  let lines: Line[] = [];

  beforeAll(async () => {
    ({ fixtures, id, lines } = await moved());
  });

  const left = async () =>
    (await documentsWith(app.services, id)).filter((one) => !one.startsWith('accounts '));

  it('is refused where no server wrote it so', { timeout: 120_000 }, async () => {
    for (const [kind, change, said] of CASES) {
      const file = changed(lines, kind, (one) => Object.assign(one, change));
      const line = 1 + file.findIndex((one, index) => JSON.stringify(one) !== JSON.stringify(lines[index]));
      const refused = await read(file).catch(String);
      const expected = `ImportError: line ${line}: an object without a proper ${said}`;
      expect([kind, change, refused.slice(0, expected.length)]).toEqual([kind, change, expected]);
    }
    await expect.poll(left).toEqual([]);
  });

  it('is taken as servers have written it, at another cost, too', async () => {
    const password = hashed('m=65536,t=3,p=4');
    const other = changed(lines, 'account', (one) => Object.assign(one, { password }));
    expect(await read(other)).toBe(fixtures.username);
    expect((await app.services.models.accounts.findOne({ _id: id }).lean())?.password).toBe(password);
  });
});
