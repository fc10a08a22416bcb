import mongoose, { type Connection } from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from './app.ts';
import { countsOf, inOrder, type Person, type Talk } from './conversation-model.ts';
import { Steps, type World } from './conversation-steps.ts';
import { testMembers } from './members.ts';
import { seeded } from './realtime-seeded.ts';
import { remoteApp } from './remote-app.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';

/** How many random steps; more of them by the environment. */
const STEPS = Number(process.env.CONVERSATION_STEPS ?? 150);
const FIRST_SEED = Number(process.env.CONVERSATION_SEED ?? 1);

/** How many belong to one account and one seed. */
const STEPS_OF_A_SEED = 1_000;
const TALKS = 16;
/** In one batch, how many conversations go on side by side, and the most steps of each. */
const SIDE_BY_SIDE = 14;
const IN_A_ROW = 5;

const CARRY_EVENTS = ['messages', 'rooms', 'conversations', 'notes', 'members', 'accounts'];

/** Until everything that follows has followed. */
const settled = (database: Connection) =>
  expect
    .poll(
      async () => {
        const waiting = CARRY_EVENTS.map((name) =>
          database.collection(name).countDocuments({ 'events.0': { $exists: true } }),
        );
        return (await Promise.all(waiting)).reduce((sum, count) => sum + count);
      },
      { timeout: 60_000, interval: 20 },
    )
    .toBe(0);

/** What happens to one conversation in a batch: one thing after another. */
const goOn = async (steps: Steps, talk: Talk): Promise<void> => {
  const kind = steps.random();
  steps.count++;
  // What a bot will not answer, and what is read at the same moment as it is told, may come in either order.
  if (kind < 0.05) return steps.useBot(talk, !talk.is_bot_use);
  if (kind < 0.07) return steps.nap(talk);
  let answers = steps.pick(steps.people);
  if (kind < 0.2) await steps.arrives(talk, steps.pick(['visitor', 'person', 'bot']));
  for (let left = 1 + Math.floor(steps.random() * IN_A_ROW); left > 0; left--) {
    const what = steps.random();
    steps.count++;
    if (what < 0.35) await steps.visitorSays(talk);
    else if (what < 0.55) await steps.memberSays(talk, answers);
    else if (what < 0.65) await steps.arrives(talk, 'visitor', true);
    else if (what < 0.7) await steps.rate(talk);
    else await steps.patch(talk);
    if (steps.chance(0.2)) answers = steps.pick(steps.people);
  }
  if (steps.chance(0.1)) await steps.note(talk);
  else if (steps.chance(0.05)) await steps.deleteTalk(talk);
};

/** Something that changes who sees what; nothing else happens meanwhile. */
const changePeople = async (steps: Steps): Promise<void> => {
  const { owner, people } = steps;
  const one = steps.pick(people.slice(2));
  const kind = steps.random();
  steps.count++;
  if (kind < 0.5) {
    one.is_away = !one.is_away;
    await steps.ask(200, one.token, 'PATCH', 'members/me/', { is_away: one.is_away });
  } else if (kind < 0.8) {
    one.widgets = steps.chance(0.4) ? null : steps.someWidgets();
    await steps.ask(200, owner.token, 'PATCH', `members/${one.uuid}/`, { widgets: one.widgets });
  } else {
    const from = Date.now();
    await steps.ask(204, owner.token, 'DELETE', `members/${one.uuid}/`);
    people.splice(people.indexOf(one), 1);
    for (const talk of steps.talks) if (talk.assignee === one.uuid) talk.set({ assignee: null }, from);
    await steps.invite('operator');
  }
};

const batch = async (steps: Steps): Promise<void> => {
  if (steps.chance(0.3)) await changePeople(steps);
  const shuffled = steps.talks.map((talk) => [steps.random(), talk] as const).sort(([a], [b]) => a - b);
  const talks = shuffled.slice(0, SIDE_BY_SIDE).map(([, talk]) => talk);
  const together = steps.chance(0.3) ? talks.splice(0, 3) : [];
  const ends = await Promise.allSettled([
    ...talks.map((talk) => goOn(steps, talk)),
    ...(together.length > 0 ? [steps.bulk(together)] : []),
  ]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  while (steps.talks.length < TALKS) await steps.beginTalk();
};

const time = (text: string | null) => (text === null ? null : Date.parse(text));

/** A conversation as the API shows it, in the form of the model. */
const shownOf = ({ visitor, last_message, ...one }: any) => ({
  ...one,
  snoozed_until: time(one.snoozed_until),
  waiting_since: time(one.waiting_since),
  first_response_at: time(one.first_response_at),
  last_message: last_message?.uuid ?? null,
  name: visitor.name,
});

/** A whole list, page by page. */
const pagesOf = async (steps: Steps, { token }: Person, query: string): Promise<any[]> => {
  const found = [];
  let path = `conversations/?limit=${3 + Math.floor(steps.random() * 20)}&${query}`;
  for (; path !== ''; ) {
    const { json, headers } = await steps.ask(200, token, 'GET', path);
    found.push(...json);
    path = /\/api\/v1\/([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1] ?? '';
  }
  return found;
};

const filters = (steps: Steps, one: Person): [query: string, fits: (talk: Talk) => boolean][] => {
  const tag = steps.pick([...steps.tags, 'none']);
  const status = steps.pick(['open', 'snoozed', 'done']);
  const widget = steps.pick(steps.widgets).uuid;
  const assignee = steps.pick(steps.people).uuid;
  return [
    [`status=${status}`, (talk) => talk.status === status],
    ['assignee=me&status=open', (talk) => talk.assignee === one.uuid && talk.status === 'open'],
    ['assignee=none', (talk) => talk.assignee === null],
    [`assignee=${assignee}&widget=${widget}`, (talk) => talk.assignee === assignee && talk.widget === widget],
    [`tag=${encodeURIComponent(tag)}`, (talk) => talk.tags.includes(tag)],
    ['waiting_on=us&status=open', (talk) => talk.waiting.on === 'us' && talk.status === 'open'],
    ['waiting_on=visitor', (talk) => talk.waiting.on === 'visitor'],
    ['is_unread=true', (talk) => talk.unread.has(one.uuid)],
    ['is_unread=false', (talk) => !talk.unread.has(one.uuid)],
    ['rating=5', (talk) => talk.rating === 5],
  ];
};

/** Compares everything that members see with the model. */
const compare = async (steps: Steps): Promise<void> => {
  for (const one of steps.people) {
    const seen = steps.talks.filter((talk) => talk.isSeenBy(one));
    const all = await pagesOf(steps, one, 'order=updated');
    const byUuid = new Map(all.map((shown) => [shown.uuid, shown]));
    for (const talk of seen) {
      expect(
        shownOf(byUuid.get(talk.uuid) ?? { visitor: {} }),
        [...talk.history, `seen by ${one.uuid}`].join('\n'),
      ).toMatchObject(talk.shownTo(one.uuid));
      const updated = Date.parse(byUuid.get(talk.uuid).updated_at);
      const [from, to] = talk.updated;
      expect([talk.uuid, updated, from <= updated && updated <= to]).toEqual([talk.uuid, updated, true]);
      if (talk.changed[0] !== talk.changed[1]) talk.changed = [Math.min(updated, talk.changed[1]), updated];
    }
    const uuids = (talks: readonly Talk[]) => talks.map(({ uuid }) => uuid);
    expect(all.map(({ uuid }) => uuid)).toEqual(uuids(inOrder(seen, 'updated')));
    const [query, fits] = steps.pick(filters(steps, one));
    for (const [asked, expected] of [
      ['', seen],
      [query, seen.filter(fits)],
    ] as const) {
      const found = await pagesOf(steps, one, asked);
      expect([asked, found.map(({ uuid }) => uuid)]).toEqual([asked, uuids(inOrder(expected, 'waiting'))]);
    }
    const { json } = await steps.ask(200, one.token, 'GET', 'conversations/counts/');
    const widgets = steps.widgets.map(({ uuid }) => uuid);
    expect(json).toEqual(countsOf(seen, one, { widgets, tags: steps.tags }));
  }
};

/** Makes `count` steps, and compares after each batch. */
const run = async (world: World, seed: number, count: number): Promise<void> => {
  const steps = new Steps(world, seeded(seed));
  await steps.begin(TALKS);
  try {
    for (; steps.count < count; ) {
      await settled(world.database);
      await compare(steps);
      await batch(steps);
    }
    await settled(world.database);
    await compare(steps);
  } catch (error) {
    throw new Error(`seed ${seed}, after ${steps.count} steps: ${error}`, { cause: error });
  }
};

const app = testApp();

it(`says of conversations what plain rules say, after ${STEPS} random steps`, async () => {
  const { relay, waker, models, connection } = app.services;
  const world: World = {
    ...app,
    database: connection,
    people: testMembers(app),
    announce: (message) => relay.announce(models.messages, message),
    wake: () => waker.sweep(),
  };
  for (let done = 0, seed = FIRST_SEED; done < STEPS; done += STEPS_OF_A_SEED, seed++) {
    await run(world, seed, Math.min(STEPS_OF_A_SEED, STEPS - done));
  }
}, 3_600_000);

it('says the same where two processes serve it', async () => {
  const shared = await sharedSettings();
  const settings = { ...shared, RATE_LIMIT: 'off' };
  const apps = [
    remoteApp((await startServerProcess(settings)).url),
    remoteApp((await startServerProcess(settings)).url),
  ];
  const database = await mongoose.createConnection(shared.MONGODB_URL ?? '').asPromise();
  onTestFinished(() => database.close());
  let turn = 0;
  const next = () => apps[turn++ % apps.length] as (typeof apps)[number];
  const request: World['request'] = (...asked) => next().request(...asked);
  const world: World = {
    request,
    account: () => next().account(),
    session: (widget) => next().session(widget),
    database,
    people: testMembers({ request }),
  };
  await run(world, FIRST_SEED, Math.ceil(STEPS / 10));
}, 600_000);
