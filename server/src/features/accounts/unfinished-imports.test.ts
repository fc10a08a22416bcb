import { expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import { changed, movedAccounts } from '../../../test/moved-accounts.ts';

const app = testApp();
const { moved, openImport, read } = movedAccounts(app);

const HOUR_MS = 3_600_000;

const sweep = (now?: Date) => app.services.unfinishedImports.sweep(now);

it('leaves nothing of an import that was broken off', async () => {
  const { id, lines } = await moved();
  const { breakOff, ended } = await openImport(lines);
  breakOff();
  await expect(ended).rejects.toThrow('the other side has gone');
  expect(await documentsWith(app.services, id)).not.toEqual([]);
  await sweep();
  await expect.poll(() => documentsWith(app.services, id)).toEqual([]);
});

it('lets one go on that is under way, however long its file says nothing', async () => {
  const { fixtures, id, lines } = await moved();
  const { ended, goOn } = await openImport(lines);
  await sweep(new Date(Date.now() + 2 * HOUR_MS));
  expect(await documentsWith(app.services, id)).not.toEqual([]);
  goOn();
  expect(await ended).toBe(fixtures.username);
  const rooms = await app.request('GET', '/api/v1/rooms/', { token: fixtures.token });
  expect(rooms.json.length).toBe(lines.filter(({ rooms }) => rooms).length);
});

it('writes nothing once its account may be in the hands of another one, as after its process stood still', async () => {
  const { id, lines } = await moved();
  const { messages, unfinishedImports } = app.services.models;
  const updateOne = unfinishedImports.updateOne.bind(unfinishedImports);
  const clock = vi.spyOn(Date, 'now');
  const spy = vi.spyOn(unfinishedImports, 'updateOne').mockImplementationOnce((async (
    ...asked: Parameters<typeof updateOne>
  ) => {
    const result = await updateOne(...asked);
    clock.mockReturnValue(Date.now() + 40_000);
    return result;
  }) as never);
  await expect(read(lines)).rejects.toThrow('by another import, or being deleted, at the same time');
  clock.mockRestore();
  spy.mockRestore();
  expect(await messages.countDocuments({ account: id })).toBe(0);
});

it('touches no account that is whole, whatever was left to say', async () => {
  const { fixtures, id, lines } = await moved();
  await read(lines);
  const { unfinishedImports } = app.services.models;
  await unfinishedImports.insertOne({ _id: id, run: 'of one that died then', seen_at: new Date(0) });
  await sweep();
  expect(await unfinishedImports.countDocuments({ _id: id })).toBe(0);
  const rooms = await app.request('GET', '/api/v1/rooms/', { token: fixtures.token });
  expect(rooms.json.length).toBe(lines.filter(({ rooms }) => rooms).length);
});

it('makes no account of the rest of an import whose beginning was discarded', async () => {
  const { fixtures, id, lines } = await moved();
  const { ended, goOn } = await openImport(lines);
  // As after a process that was stopped for more than an hour.
  await app.services.models.registrationClaims.deleteOne({ _id: `import ${id}` });
  await sweep(new Date(Date.now() + 2 * HOUR_MS));
  goOn();
  await expect(ended).rejects.toThrow(/ImportError|discarded|another import/);
  await expect.poll(() => documentsWith(app.services, id)).toEqual([]);
  expect(await read(lines)).toBe(fixtures.username);
});

it('takes an object as the later file has it', async () => {
  const { fixtures, lines } = await moved();
  const { breakOff, ended } = await openImport(lines);
  breakOff();
  await expect(ended).rejects.toThrow('the other side has gone');
  const later = changed(lines, 'messages', (one) => (one.body = 'said otherwise'));
  await read(later);
  const messages = await app.request('GET', '/api/v1/messages/', { token: fixtures.token });
  expect(messages.json.map(({ body }: { body: string }) => body)).toContain('said otherwise');
});
