import { beforeAll, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { newEvent } from '../../events/events.ts';

/** What is left of a lead that was deleted: that it is gone. */

const app = testApp();
let token = '';
let id = '';
let widget = '';

beforeAll(async () => {
  ({ token, id, widget } = await app.account());
});

const create = async (): Promise<string> =>
  (await app.request('POST', '/api/v1/leads/', { token, body: { nickname: 'Ada' } })).json.uuid;
/** What the log of recent events says of a lead, by any field. */
const entriesOf = (uuid: string) =>
  app.services.models.realtimeEntries.find({ $or: [{ lead: uuid }, { 'data.uuid': uuid }] }).lean();

it('is told by its uuid alone, which no erasure takes out of the log', async () => {
  const { visitor, room } = await app.session(widget);
  const left = await app.request('POST', '/api/v1/leads/', { visitor, body: { nickname: 'Ada' } });
  const { uuid, widget: ofWidget } = left.json;
  await expect.poll(() => entriesOf(uuid)).toHaveLength(1);
  const path = `/api/v1/widgets/${widget}/sessions/`;
  expect((await app.request('DELETE', path, { visitor })).status).toBe(204);
  await expect.poll(async () => (await entriesOf(uuid))[0]?.name).toBe('lead.deleted');
  const { channel, erasure, roomDeletion } = app.services;
  for (const subject of [uuid, room.uuid]) await channel.forget(subject);
  const later = new Date(Date.now() + 100_000);
  await roomDeletion.resume(later);
  await erasure.resume(later);
  const told = {
    _id: expect.any(Number),
    event: expect.any(String),
    name: 'lead.deleted',
    account: id,
    room: room.uuid,
    widget: ofWidget,
    at: expect.any(Date),
    data: { uuid },
  };
  expect(await entriesOf(uuid)).toEqual([told]);
  expect(channel.recent.after(0)?.map(({ entry }) => entry)).toContainEqual(told);
});

it.each([true, false])(
  'is told of a deletion that a crash interrupted, only if it has gone (%s)',
  async (hasGone) => {
    const uuid = await create();
    const { models, roomDeletion } = app.services;
    const lead = await models.leads.findOne({ _id: uuid }).lean();
    const made_at = new Date(Date.now() - 100_000);
    const data = {
      actor: { kind: 'cli', uuid: null, name: '', token: null },
      address: null,
      action: 'deleteLead',
      object: { kind: 'lead', uuid, label: '' },
      changes: [],
    };
    await models.tombstones.create({
      _id: crypto.randomUUID(),
      subject: uuid,
      made_at,
      deletion: {
        collection: models.leads.collection.collectionName,
        holder: uuid,
        created_at: lead?.created_at as Date,
        event: newEvent('audit', id, new Date(), data),
        more: [newEvent('lead.deleted', id, new Date(), { uuid })],
      },
    });
    if (hasGone) await models.leads.deleteOne({ _id: uuid });
    await roomDeletion.resume();
    // Comes after what the resumption has told.
    const last = await create();
    await expect.poll(() => entriesOf(last)).toHaveLength(1);
    const isTold = (await entriesOf(uuid)).some(({ name }) => name === 'lead.deleted');
    expect(isTold).toBe(hasGone);
    const audited = async () =>
      (await app.request('GET', '/api/v1/audit/?action=deleteLead', { token })).json;
    await expect
      .poll(async () => (await audited()).filter(({ object }: any) => object.uuid === uuid))
      .toHaveLength(hasGone ? 1 : 0);
  },
);
