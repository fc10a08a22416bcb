import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../../test/app.ts';
import type { Connection, Viewer } from './connection.ts';
import type { EventLogEntry } from './event-log.model.ts';
import { PresenceService } from './presence.ts';
import { type Attendee, PresenceStore } from './presence-store.ts';

const app = testApp();

it('tells a member of a visitor who came just before, and was not stored yet', async () => {
  const { channel, models, rooms, log } = app.services;
  const store = new PresenceStore(models.presence, models.presenceProcesses);
  let isStoring = false;
  /** As with a database that is slow to write. */
  const slow: Pick<PresenceStore, keyof PresenceStore> = Object.create(store, {
    add: {
      value: async (attendee: Attendee[]) => {
        isStoring = true;
        await sleep(500);
        await PresenceStore.prototype.add.call(store, attendee);
      },
    },
  });
  for (const name of ['rooms', 'hasMember', 'visited', 'remove', 'removeLeft', 'renew', 'leave'] as const) {
    Object.defineProperty(slow, name, { value: store[name].bind(store) });
  }
  const presence = new PresenceService(slow as PresenceStore, channel, rooms, log);
  const { id: account, widget } = await app.account();
  const { visitor, room } = await app.session(widget);
  const body = { body: 'Hi', room: { uuid: room.uuid } };
  await app.request('POST', '/api/v1/messages/', { visitor, body });
  const told: EventLogEntry[] = [];
  channel.onEntry((entry) => told.push(entry));
  await channel.start();
  onTestFinished(() => channel.stop());

  const sent: string[] = [];
  const connection = { send: (text: string) => sent.push(text) } as unknown as Connection;
  const page: Viewer = { side: 'visitor', account, room: room.uuid, session: '', widget: '', origin: '' };
  const member = { side: 'person', account, member: '', rooms: undefined } as unknown as Viewer;
  presence.start();
  onTestFinished(() => presence.stop());
  presence.arrived(page);
  await presence.greet(connection, page);
  await expect.poll(() => isStoring).toBe(true);
  presence.arrived(member);
  await presence.greet(connection, member);
  expect(sent.map((text) => JSON.parse(text).data)).toEqual([{ sender: 'person', online: false }]);
  const ofVisitor = () => told.filter(({ name, room: its }) => name === 'presence' && its === room.uuid);
  await expect
    .poll(() => ofVisitor().map(({ data }) => data), { timeout: 60_000 })
    .toEqual([{ sender: 'visitor', online: true }]);
});

it('tells a member that sees some widgets of their visitors, however many others are there', async () => {
  const { channel, models, rooms, log } = app.services;
  const { id: account } = await app.account();
  const store = new PresenceStore(models.presence, models.presenceProcesses);
  const [one, other] = [randomUUID(), randomUUID()];
  // Those of the others come first, by whichever index they are found.
  const many = (count: number, widget: string, first: string) =>
    Array.from({ length: count }, () => {
      const _id = `${first}${randomUUID().slice(1)}`;
      return { _id, account, widget, label: _id };
    });
  const [own, others] = [many(2, one, 'f'), many(600, other, '0')];
  await models.rooms.collection.insertMany([...others, ...own] as never);
  for (const some of [others, own])
    await store.add(some.map(({ _id: room }) => ({ account, side: 'visitor' as const, room })));
  onTestFinished(() => store.leave());
  const presence = new PresenceService(store, channel, rooms, log);
  const told: string[] = [];
  const connection = { send: (text: string) => told.push(JSON.parse(text).room) } as unknown as Connection;
  const member = {
    side: 'person',
    account,
    member: '',
    rooms: undefined,
    widgets: [one],
  } as unknown as Viewer;
  await presence.greet(connection, member);
  expect(told.sort()).toEqual(own.map(({ _id }) => _id).sort());
});
