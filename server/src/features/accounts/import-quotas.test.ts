import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import { type Line, movedAccounts } from '../../../test/moved-accounts.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });
const { moved, read } = movedAccounts(app);

describe('an import of more objects than an account has', () => {
  let username = '';
  let id = '';
  let lines: Line[] = [];

  beforeAll(async () => {
    const { fixtures, ...file } = await moved();
    ({ id, lines } = file);
    ({ username } = fixtures);
  });

  const left = async () =>
    (await documentsWith(app.services, id)).filter((one) => !one.startsWith('accounts '));

  it('is refused in one line, and leaves nothing', async () => {
    const twice = { webhooks: 100, widgets: 200, members: 200, tokens: 100, replies: 1_000, releases: 1_000 };
    for (const [kind, most] of Object.entries(twice)) {
      const one = lines.find((line) => line[kind]) ?? { [kind]: { account: id } };
      const more = Array.from({ length: most + 1 }, (_, n) => {
        const unique = { target_key: `${n}`, shortcut: `a${n}`, folded: `a${n}`, token: `${n}` };
        const own = Object.entries(unique).filter(([name]) => one[kind][name] !== undefined);
        return { [kind]: { ...one[kind], ...Object.fromEntries(own), _id: randomUUID() } };
      });
      const file = [lines[0] as Line, ...more, ...lines.slice(-1)];
      const refused = await read(file).catch(String);
      expect(refused).toBe(`ImportError: line ${most + 2}: more than ${most} ${kind}`);
    }
    await expect.poll(left).toEqual([]);
  });

  it('counts one that comes twice once', async () => {
    const hook = lines.find(({ webhooks }) => webhooks) as Line;
    const file = [...lines.slice(0, -1), ...Array.from({ length: 200 }, () => hook), ...lines.slice(-1)];
    expect(await read(file)).toBe(username);
  });
});
