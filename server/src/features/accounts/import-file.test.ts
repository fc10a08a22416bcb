import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import { type Line, movedAccounts } from '../../../test/moved-accounts.ts';
import { mapCollections } from '../../data-map.ts';
import { importAccount } from './account-import.ts';
import { NeededObjects } from './needed-objects.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });
const { moved, read } = movedAccounts(app);

it('an import takes no file that goes on behind its account', async () => {
  const { fixtures, id, lines } = await moved();
  const line = lines.length + 1;
  for (const more of [lines, lines.slice(-1), [{ garbage: 1 }]] as Line[][]) {
    await expect(read([...lines, ...more])).rejects.toThrow(
      `line ${line}: it stands behind the account, which is the last line`,
    );
  }
  const left = async () =>
    (await documentsWith(app.services, id)).filter((one) => !one.startsWith('accounts '));
  await expect.poll(left).toEqual([]);
  async function* withEmptyLines() {
    for (const one of lines) yield JSON.stringify(one);
    yield '';
    yield ' ';
  }
  expect(await importAccount(app.services, withEmptyLines())).toBe(fixtures.username);
});

it('an import takes a file that holds objects twice, one after the other', async () => {
  const { fixtures, lines } = await moved();
  const twice = lines.flatMap((line, index) => (index > 0 && !line.account ? [line, line] : [line]));
  expect(await read(twice)).toBe(fixtures.username);
  const listed = await app.request('GET', '/api/v1/messages/', { token: fixtures.token });
  const known = lines.flatMap(({ messages }) => messages?._id ?? []);
  expect(listed.json.map(({ uuid }: { uuid: string }) => uuid).sort()).toEqual(known.sort());
});

it('what an import needs and has not come is awaited up to a number', async () => {
  const needed = new NeededObjects(mapCollections(app.services.models), async () => new Set(['here']), 2);
  const message = (room: string, line: number) => ({ document: { _id: `${line}`, room }, line });
  await needed.note('messages', ['a', 'here', 'b', 'a'].map(message));
  await expect(needed.note('messages', [message('c', 9)])).rejects.toThrow(
    'line 9: more than 2 objects that are needed have not come yet',
  );
});
