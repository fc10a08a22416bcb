import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { eventually, searchOf } from '../../../test/search.ts';
import { exportAccount } from '../accounts/account-copy.ts';
import { deleteAccount } from '../accounts/account-data.ts';
import { importAccount } from '../accounts/account-import.ts';

const app = testApp();
const { search, uuidsOf } = searchOf(app);

describe('an account that is imported', () => {
  it('is searched as the one that was exported', async () => {
    const { token, widget, username, id } = await app.account();
    const { visitor, room } = await app.session(widget);
    const body = { body: 'All of this moves', room: { uuid: room.uuid } };
    await app.request('POST', '/api/v1/messages/', { visitor, body });
    await eventually(async () => (await search(token, 'moves')).length).toBe(1);
    const before = await search(token, 'moves');
    const account = await app.services.accounts.byUsername(username);
    if (!account) throw new Error('no account');
    const lines: string[] = [];
    for await (const line of exportAccount(app.services, account)) lines.push(line);
    expect(lines.join('\n')).not.toContain('searchSegments');
    await deleteAccount(app.services, id);
    await importAccount(
      app.services,
      (async function* () {
        yield* lines;
      })(),
    );
    await app.services.earlierObjects.sweep();
    expect(await search(token, 'moves')).toEqual(before);
    expect(await app.services.models.searchProgress.countDocuments({ _id: id })).toBe(0);
  });

  const insert = (account: string, _id: unknown, body: string, sent_at: unknown) =>
    app.services.models.messages.collection.insertOne({
      ...{ _id, account, body, sent_at, room: randomUUID(), widget: '' },
      ...{ nickname: '', email: '', phone_number: '', is_support_sender: true, is_bot: false },
    } as never);

  it('is searched whatever time its messages have', async () => {
    const { token, id } = await app.account();
    const times = [-8.64e15, -1_000, -1_000, 0, 1_700_000_000_000, 16 ** 12, 8.64e15];
    const uuids = times.map(() => randomUUID());
    for (const [n, time] of times.entries()) await insert(id, uuids[n], 'timeless', new Date(time));
    for (const damaged of [null, 'yesterday']) await insert(id, randomUUID(), 'damaged', damaged);
    await insert(id, 'no uuid', 'damaged', new Date(-1_000));
    await app.services.earlierObjects.request(id);
    await app.services.earlierObjects.sweep();
    expect((await uuidsOf(token, 'timeless')).sort()).toEqual(uuids.sort());
    expect(await app.services.models.searchProgress.countDocuments({ _id: id })).toBe(0);
  });

  it('is gone through 200 messages at a time', async () => {
    const { id } = await app.account();
    const { earlierObjects, models } = app.services;
    await Promise.all(Array.from({ length: 450 }, (_, n) => insert(id, randomUUID(), 'steps', new Date(n))));
    let reads = 0;
    const count = ({ command }: CommandStartedEvent) => {
      if (command.find === 'messages' && command.filter.account === id && command.sort) reads++;
    };
    const client = models.messages.db.getClient();
    client.on('commandStarted', count);
    onTestFinished(() => void client.off('commandStarted', count));
    await earlierObjects.request(id);
    await earlierObjects.sweep();
    // Where the sweep that runs by itself came first, it is under way there.
    await eventually(() => models.searchProgress.countDocuments({ _id: id })).toBe(0);
    // 200, 200, 50 and none.
    expect(reads).toBe(4);
    const segments = await models.searchSegments.find({ account: id, kind: 'message' }).lean();
    expect(segments.reduce((sum, { count: lines }) => sum + lines, 0)).toBe(450);
  });

  it('waits for no other that can not be gone through', async () => {
    const [stuck, other] = [await app.account(), await app.account()];
    const { earlierObjects, models } = app.services;
    await insert(stuck.id, 7, 'stuck', new Date());
    await insert(other.id, randomUUID(), 'steadfast', new Date());
    for (const { id } of [stuck, other]) await earlierObjects.request(id);
    await earlierObjects.sweep();
    await eventually(async () => (await search(other.token, 'steadfast')).length).toBe(1);
    expect(await models.searchProgress.countDocuments({ _id: stuck.id })).toBe(1);
    // The same on the walk through all accounts.
    const { collection } = models.searchProgress;
    await models.searchSegments.deleteMany({ account: other.id });
    const begin = {
      $set: { is_done: false, leased_until: new Date(0) },
      $unset: { account: 1, kind: 1, key: 1 },
    };
    await collection.updateOne({ _id: 'all 3' as never }, begin as never);
    await earlierObjects.sweep();
    await eventually(async () => (await search(other.token, 'steadfast')).length).toBe(1);
    await models.messages.collection.deleteOne({ _id: 7 as never });
  });

  it('is gone through anew where an earlier version has made other words of it', async () => {
    const { token, id } = await app.account();
    const { earlierObjects, models } = app.services;
    const uuid = randomUUID();
    await insert(id, uuid, 'STRAẞE', new Date());
    const all = { $regex: '^all' };
    await models.searchProgress.deleteMany({ _id: all });
    const done = { is_done: true, leased_until: new Date(0) };
    for (const _id of ['all', 'all 2'])
      await models.searchProgress.collection.insertOne({ _id, ...done } as never);
    await earlierObjects.sweep();
    await eventually(() => uuidsOf(token, 'strasse')).toEqual([uuid]);
    const walks = await models.searchProgress.find({ _id: all }).sort({ _id: 1 }).lean();
    expect(walks.map(({ _id, is_done }) => [_id, is_done])).toEqual([
      ['all', true],
      ['all 2', true],
      ['all 3', true],
    ]);
  });
});
