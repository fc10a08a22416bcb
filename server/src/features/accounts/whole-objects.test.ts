import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import type { Fixtures } from '../../../test/fixtures.ts';
import { changed, type Line, movedAccounts } from '../../../test/moved-accounts.ts';
import { DATA_MAP } from '../../data-map.ts';
import type { CollectionData } from '../../database/collection-data.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });
const { moved, read } = movedAccounts(app);

/** Lists and objects in each other. */
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

const at = (time: string) => ({ $date: time });

describe('an import of what is not whole', () => {
  let fixtures: Fixtures;
  let id = '';
  let lines: Line[] = [];

  beforeAll(async () => {
    ({ fixtures, id, lines } = await moved());
  });

  const left = async () =>
    (await documentsWith(app.services, id)).filter((one) => !one.startsWith('accounts '));

  const pending = { turn: 't', at: at('2026-01-01T00:00:00Z'), messages: [], leads: [] };

  const cases: [string, (document: any) => void, ((document: any) => boolean)?][] = [
    ['deliveries', (one) => (one.tries = null)],
    ['deliveries', (one) => delete one.tries],
    ['deliveries', (one) => (one.tries = { $numberDouble: 'NaN' })],
    ['deliveries', (one) => (one.tries = '1')],
    ['deliveries', (one) => (one.due_at = null)],
    ['deliveries', (one) => (one.attempts = [null])],
    ['deliveries', (one) => (one.attempts = [{ at: null }])],
    ['deliveries', (one) => (one.erase_by = at('1969-12-31T23:59:59.999Z'))],
    ['deliveries', (one) => (one.subscription = null)],
    ['deliveries', (one) => (one.subscription.target = 'not a url')],
    ['webhooks', (one) => (one.target = 'not a url')],
    ['webhooks', (one) => (one.target = 'ftp://example.com/')],
    ['messages', (one) => (one.sent_at = at('1969-12-31T23:59:59Z'))],
    ['messages', (one) => (one.sent_at = { $date: { $numberLong: '253402300800000' } })],
    ['messages', (one) => (one.body = null)],
    ['inbox', (one) => (one.heard = null)],
    ['inbox', (one) => (one.heard.recent = [null])],
    ['inbox', (one) => (one.heard.before.since = 'yesterday')],
    ['inbox', (one) => (one.tags = [null])],
    ['inbox', (one) => delete one.rank],
    ['rooms', (one) => (one.bot.pending = { ...pending, messages: null }), (one) => one.bot],
    ['rooms', (one) => (one.bot.pending = { ...pending, at: null }), (one) => one.bot],
    ['rooms', (one) => (one.bot.variables = [[null, 'a']]), (one) => one.bot],
    ['rooms', (one) => (one.bot = null)],
    ['sessions', (one) => (one.room = null)],
    ['sessions', (one) => (one.page = { url: null })],
    ['audit', (one) => (one.actor = { constructor: nested(101) })],
    ['audit', (one) => (one.actor.deep = nested(100))],
    ['audit', (one) => (one.actor.odd = { $minKey: 1 })],
    ['audit', (one) => (one.changes = null)],
    ['audit', (one) => (one._id = 'x'.repeat(101))],
    ['rooms', (one) => (one._id = `x${one._id.slice(1)}`)],
    ['rooms', (one) => (one._id = 'a/../b?x')],
    ['messages', (one) => (one._id = '')],
    ['members', (one) => (one._id = one._id.toUpperCase())],
    ['tokens', (one) => (one._id = one._id.toUpperCase())],
    ['webhooks', (one) => (one._id = `{${one._id}}`)],
    ['leads', (one) => (one._id = one._id.replaceAll('-', ''))],
    ['avatars', (one) => (one._id = `${one._id}/`)],
    ['account', (one) => (one._id = one._id.toUpperCase())],
    ['account', (one) => (one.created_at = null)],
    ['account', (one) => (one.recovery_hashes = [null])],
  ];

  it('says which line it is, and leaves nothing', async () => {
    for (const [kind, change, fits] of cases) {
      const file = changed(lines, kind, change, fits);
      const line = 1 + file.findIndex((one, index) => JSON.stringify(one) !== JSON.stringify(lines[index]));
      const said = new RegExp(
        `^ImportError: line ${line}: an object (without a proper|of more than 100 levels)`,
      );
      const refused = await read(file).catch(String);
      expect([kind, String(change), refused]).toEqual([kind, String(change), expect.stringMatching(said)]);
    }
    await expect.poll(left).toEqual([]);
  });

  it('leaves nothing either of what the database does not take', async () => {
    const tooLarge = changed(
      lines,
      'audit',
      (one) => (one.actor.more = Array(1_800).fill('x'.repeat(10_000))),
    );
    await expect(read(tooLarge)).rejects.toThrow(/^the database did not take what it holds: .{10,200}$/);
    await expect.poll(left).toEqual([]);
  });

  it('takes what a server wrote whose clock ran ahead, and what lies within bounds', async () => {
    const ahead = changed(lines, 'messages', (one) => (one.sent_at = at('9999-12-31T23:59:59.999Z')));
    expect(await read(changed(ahead, 'audit', (one) => (one.actor.deep = nested(97))))).toBe(
      fixtures.username,
    );
  });
});

it('knows the shape of whatever is copied and of no certain type', () => {
  for (const [name, data] of Object.entries(DATA_MAP)) {
    const { copied, shapes = {} } = data as CollectionData<Record<string, unknown>>;
    if (!copied) continue;
    const { schema } = app.services.models[name as keyof typeof DATA_MAP];
    const open = Object.entries(schema.paths).filter(([, { instance }]) => instance === 'Mixed');
    expect([name, Object.keys(shapes)]).toEqual([name, expect.arrayContaining(open.map(([path]) => path))]);
  }
});
