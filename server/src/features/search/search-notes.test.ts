import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';
import { eventually, searchOf } from '../../../test/search.ts';
import { newEvent } from '../../events/events.ts';
import { createLog } from '../../platform/log.ts';
import { createSearch } from './create-search.ts';
import { Segments } from './segments.ts';

const app = testApp();
const people = testMembers(app);
const { search, uuidsOf } = searchOf(app);

describe('notes', () => {
  const noted = async (token: string, widget: string, body: string) => {
    const { visitor, room } = await app.session(widget);
    const said = { visitor, body: { body: 'Hi', room: { uuid: room.uuid } } };
    await app.request('POST', '/api/v1/messages/', said);
    const path = `/api/v1/conversations/${room.uuid}/notes/`;
    const note = () => app.request('POST', path, { token, body: { body } });
    await eventually(async () => (await app.request('GET', path.slice(0, -6), { token })).status).toBe(200);
    return { room, visitor, path, note: (await note()).json.uuid as string };
  };

  it('are found as they are now, by members who see the conversation', async () => {
    const { token, widget } = await app.account();
    const { room, visitor, path, note } = await noted(token, widget, 'A refund <b>was</b> agreed');
    await eventually(() => uuidsOf(token, 'refund agr', '&kind=note')).toEqual([note]);
    const [found] = await search(token, 'refund');
    expect(found).toMatchObject({ kind: 'note', conversation: { uuid: room.uuid } });
    expect(found.matches).toEqual([{ field: 'body', text: 'A refund <b>was</b> agreed', marks: [[2, 8]] }]);

    const { member } = people;
    expect(await uuidsOf((await member(token, 'operator')).token, 'refund')).toEqual([note]);
    const hidden = await member(token, 'operator', { widgets: [] });
    expect(await uuidsOf(hidden.token, 'refund')).toEqual([]);
    expect(await uuidsOf((await app.account()).token, 'refund')).toEqual([]);
    expect((await app.request('GET', '/api/v1/search/?q=refund', { visitor })).status).toBe(403);
    const scopes = ['leads:read'];
    const body = { name: 'A program', scopes };
    const program = (await app.request('POST', '/api/v1/tokens/', { token, body })).json.token;
    const asked = await app.request('GET', '/api/v1/search/?q=refund&kind=note', { token: program });
    expect(asked.status).toBe(403);

    await app.request('PATCH', `${path}${note}/`, { token, body: { body: 'A voucher was agreed' } });
    await eventually(() => uuidsOf(token, 'voucher')).toEqual([note]);
    expect(await uuidsOf(token, 'refund')).toEqual([]);
  });

  it.each(['a note', 'a room', 'a visitor'])('leave no word when %s goes', async (what) => {
    const { token, widget, id } = await app.account();
    const word = `canary${randomUUID().slice(0, 8)}`;
    const { room, visitor, path, note } = await noted(token, widget, `the first ${word}`);
    await eventually(() => uuidsOf(token, word)).toEqual([note]);
    await app.services.earlierObjects.request(id);
    await app.services.earlierObjects.sweep();
    await app.request('PATCH', `${path}${note}/`, { token, body: { body: `the second ${word}` } });
    await eventually(() => uuidsOf(token, `second ${word}`)).toEqual([note]);
    if (what === 'a note') await app.request('DELETE', `${path}${note}/`, { token });
    if (what === 'a room') await app.request('DELETE', `/api/v1/rooms/${room.label}/`, { token });
    if (what === 'a visitor') {
      await app.request('DELETE', `/api/v1/widgets/${widget}/sessions/`, { visitor });
    }
    expect(await uuidsOf(token, word)).toEqual([]);
    const { searchSegments } = app.services.models;
    const stored = () => searchSegments.countDocuments({ account: id, lines: new RegExp(word) });
    await eventually(stored).toBe(0);
  });

  it('leave no word when another process had read it before it went, and writes it after', async () => {
    const { token, widget, id } = await app.account();
    const word = `canary${randomUUID().slice(0, 8)}`;
    const { room, path, note } = await noted(token, widget, 'nothing yet');
    await eventually(() => uuidsOf(token, 'nothing yet', '&kind=note')).toEqual([note]);
    const { models } = app.services;
    // Told by nobody: only the other process knows of it.
    await models.notes.updateOne({ _id: note }, { $set: { body: word } });
    const unfinishedImports = { without: (find: (others: object) => Promise<never[]>) => find({}) };
    const parts = { models, leases: {} as never, unfinishedImports, log: createLog('silent') };
    const other = createSearch(parts).index;
    await other.consume([
      newEvent('note.changed', id, new Date(), { uuid: note }, { room: room.uuid, widget }),
    ]);
    const { addFresh } = Segments.prototype;
    const adding = vi.spyOn(Segments.prototype, 'addFresh');
    const dropping = vi.spyOn(Segments.prototype, 'removeOf');
    onTestFinished(() => {
      adding.mockRestore();
      dropping.mockRestore();
    });
    let goOn = (): void => undefined;
    const isDropped = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let isHeld = false;
    adding.mockImplementation(async function (this: Segments, gathered) {
      if (!isHeld && JSON.stringify(gathered).includes(word)) {
        isHeld = true;
        await isDropped;
      }
      return addFresh.call(this, gathered);
    });
    const writing = other.flush();
    await eventually(async () => isHeld).toBe(true);
    await app.request('DELETE', `${path}${note}/`, { token });
    const dropped = () => dropping.mock.calls.findIndex(([subject]) => subject === room.uuid);
    await eventually(async () => dropped()).toBeGreaterThanOrEqual(0);
    await dropping.mock.results[dropped()]?.value;
    goOn();
    await writing;
    const { searchSegments } = models;
    expect(await searchSegments.countDocuments({ account: id, lines: new RegExp(word) })).toBe(0);
  });
});
