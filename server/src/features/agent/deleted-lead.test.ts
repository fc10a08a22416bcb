import { expect, it, onTestFinished, vi } from 'vitest';
import { testAgent } from '../../../test/agent.ts';
import { testApp } from '../../../test/app.ts';
import { createLog } from '../../platform/log.ts';
import type { StoredRoom } from '../rooms/rooms.model.ts';
import { roomLabelOf } from './conversations.service.ts';
import { Publication } from './publication.ts';

/** What becomes of a lead that was deleted while the turn that made it still stands in its room. */

const app = testApp();

const FLOW = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'q' },
  { id: 'q', type: 'question', text: 'Your name?', save_as: 'name', next: 'l' },
  { id: 'l', type: 'lead', fields: { nickname: '{{name}}' }, next: 'again' },
  { id: 'again', type: 'question', text: 'And then?', save_as: 'what', next: 'again' },
];

/** What publishes turns in another process. */
const elsewhere = () => {
  const { models, leads } = app.services;
  const log = createLog('silent');
  const relay = { announce: () => undefined };
  return new Publication({
    ...models,
    leads,
    relay,
    unfinishedImports: { without: (find) => find({}) },
    log,
  });
};

/** A conversation in which a lead was left, whose turn is not taken out of its room. */
const leftIn = async () => {
  const agent = await testAgent(app, FLOW);
  const id = await agent.open();
  const { rooms } = app.services.models;
  const staying = vi.spyOn(rooms, 'updateMany').mockRejectedValue(new Error('not now'));
  onTestFinished(() => staying.mockRestore());
  expect(await agent.talk(id, 'Ada')).toEqual([['And then?'], 'active']);
  const label = roomLabelOf(id);
  const room = (await rooms.findOne({ label }).lean<StoredRoom>()) as StoredRoom;
  const leads = async () => (await agent.rest('GET', 'leads/')).json;
  const [lead] = await leads();
  expect(lead.nickname).toBe('Ada');
  const remove = async () => expect((await agent.rest('DELETE', `leads/${lead.uuid}/`)).status).toBe(204);
  return { agent, id, label, room, leads, remove };
};

it.each([
  ['by the next turn', async ({ agent, id }) => agent.talk(id, 'Nothing')],
  ['by another process that had read the room before', async ({ room }) => elsewhere().publish(room)],
] satisfies [string, (left: Awaited<ReturnType<typeof leftIn>>) => Promise<unknown>][])(
  'is not made again %s',
  async (_, publish) => {
    const left = await leftIn();
    await left.remove();
    await publish(left);
    expect(await left.leads()).toEqual([]);
    // No word of it stays in the room's document either.
    const stored = await app.services.models.rooms.findOne({ label: left.label }).lean();
    expect(JSON.stringify(stored?.bot?.pending?.leads ?? [])).not.toContain('Ada');
  },
);
