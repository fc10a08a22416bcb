import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { type Fixtures, makeFixtures } from '../../../test/fixtures.ts';
import { changed, type Line, movedAccounts } from '../../../test/moved-accounts.ts';

/** What is done with objects by itself waits until their account is there: each of these acts on one that is. */

const app = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });
const { accountOf, moved, openImport } = movedAccounts(app);

const PAST = '2026-01-01T00:00:00.000Z';
const PATIENCE = { timeout: 10_000 };

let own: Fixtures;
let ownId = '';
beforeAll(async () => {
  own = await makeFixtures(app);
  ownId = (await accountOf(own.username))._id;
});

const pending = (account: string, room: string, date: unknown) => ({
  turn: randomUUID(),
  at: date,
  leads: [],
  messages: [
    {
      ...{ _id: randomUUID(), account, room, body: 'said by a bot', sent_at: date, events: [] },
      ...{ nickname: '', email: '', phone_number: '', is_support_sender: true, is_bot: true },
    },
  ],
});

/** The first object of a kind in a file that fits. */
const idIn = (lines: readonly Line[], kind: string, fits = (_: any): unknown => true): string =>
  lines.find((line) => line[kind] && fits(line[kind]))?.[kind]._id;

it('answers no message, and says nothing for a bot, before', async () => {
  const { rooms, messages } = app.services.models;
  const { fixtures, id, lines } = await moved();
  const waiting = changed(lines, 'messages', (one) => (one.answer_due = { $date: PAST }));
  const hasBot = (one: any) => one.bot;
  const file = changed(
    waiting,
    'rooms',
    (one) => (one.bot.pending = pending(id, one._id, { $date: PAST })),
    hasBot,
  );
  const [message, room] = [idIn(file, 'messages'), idIn(file, 'rooms', hasBot)];
  const { ended, goOn } = await openImport(file);
  // Those of an account that is here, later by a second, are taken up.
  const later = new Date(Date.parse(PAST) + 1_000);
  const ownMessage = await messages.findOneAndUpdate({ account: ownId }, { $set: { answer_due: later } });
  const ownRoom = await rooms.findOne({ account: ownId, bot: { $exists: true } } as never);
  const turn = pending(ownId, String(ownRoom?._id), later);
  await rooms.updateOne({ _id: ownRoom?._id }, { $set: { 'bot.pending': turn } } as never);
  const isDone = async (of: string | undefined, at: string | undefined) => [
    (await messages.exists({ _id: of, answer_due: { $exists: true } })) === null,
    (await rooms.exists({ _id: at, 'bot.pending': { $exists: true } } as never)) === null,
  ];
  await expect.poll(() => isDone(ownMessage?._id, ownRoom?._id), PATIENCE).toEqual([true, true]);
  expect(await isDone(message, room)).toEqual([false, false]);
  expect(await messages.countDocuments({ account: id, body: 'said by a bot' })).toBe(0);
  goOn();
  expect(await ended).toBe(fixtures.username);
  await expect.poll(() => isDone(message, room), PATIENCE).toEqual([true, true]);
  expect(await messages.countDocuments({ account: id, body: 'said by a bot' })).toBe(1);
});

it('opens no snoozed conversation before', async () => {
  const { inbox } = app.services.models;
  const { lines } = await moved();
  const snoozed = { status: 'snoozed', snoozed_until: { $date: PAST } };
  const file = changed(lines, 'inbox', (one) => Object.assign(one, snoozed));
  const conversation = { _id: idIn(file, 'inbox') };
  const { ended, goOn } = await openImport(file);
  await app.services.waker.sweep();
  expect(await inbox.findOne(conversation).lean()).toMatchObject({ status: 'snoozed' });
  goOn();
  await ended;
  await app.services.waker.sweep();
  expect(await inbox.findOne(conversation).lean()).toMatchObject({ status: 'open' });
});

it('gives no room a conversation or a widget that are still to come', async () => {
  const { inbox, rooms } = app.services.models;
  const { id, lines } = await moved();
  const visited = lines.find(({ sessions }) => sessions?.room)?.sessions;
  const isVisited = ({ _id }: any) => _id === visited.room;
  const without = changed(lines, 'rooms', (one) => delete one.widget, isVisited);
  const file = changed(without, 'inbox', (one) => (one.tags = ['of the file']), isVisited);
  const isLate = ({ inbox, leads, sessions, account }: Line) => inbox ?? leads ?? sessions ?? account;
  const { ended, goOn } = await openImport(file, file.filter(isLate));
  await app.services.backfill.run();
  await app.services.roomWidgets.sweep();
  expect(await inbox.countDocuments({ account: id })).toBe(0);
  expect(await rooms.findOne({ _id: visited.room }).lean()).not.toHaveProperty('widget');
  goOn();
  await ended;
  await app.services.roomWidgets.sweep();
  expect(await rooms.findOne({ _id: visited.room }).lean()).toMatchObject({ widget: visited.widget });
  expect(await inbox.findOne({ _id: visited.room }).lean()).toMatchObject({ tags: ['of the file'] });
});
