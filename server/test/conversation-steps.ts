import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { expect } from 'vitest';
import { addedMessage } from '../src/features/messages/added-message.ts';
import type { StoredMessage } from '../src/features/messages/messages.model.ts';
import type { Answer } from './app.ts';
import { type Person, type Said, Talk } from './conversation-model.ts';
import type { testMembers } from './members.ts';
import type { RemoteApp } from './remote-app.ts';

/** Where the steps are made: an application, or several processes in turn; and the database behind. */
export interface World extends RemoteApp {
  database: Connection;
  people: Pick<ReturnType<typeof testMembers>, 'member'>;
  /** Tells of a message that another process has stored; where there is none, the sweep of the processes finds it. */
  announce?(message: StoredMessage): void;
  /** Wakes what is due; where there is none, the processes do. */
  wake?(): Promise<void>;
}

const TAGS = ['delivery', 'vip', 'rtl עברית', '<b>bold</b>', 'wholesale'];
const HOUR_MS = 3_600_000;

const iso = (at: number) => new Date(at).toISOString();

/** Makes random steps on the conversations of one account, in the API and in the model. */
export class Steps {
  readonly people: Person[] = [];
  readonly widgets: { uuid: string; token: string }[] = [];
  talks: Talk[] = [];
  readonly tags = new Set<string>();
  /** How many were made. */
  count = 0;
  readonly world: World;
  readonly random: () => number;

  constructor(world: World, random: () => number) {
    this.world = world;
    this.random = random;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  /** @throws unless the answer has this status */
  async ask(status: number, as: string, method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.world.request(method, `/api/v1/${path}`, { token: as, ...(body && { body }) });
    expect([method, path, body, answer.status, answer.text]).toEqual([
      method,
      path,
      body,
      status,
      answer.text,
    ]);
    return answer;
  }

  /** An account with two widgets, an owner, members with and without restrictions, and some conversations. */
  async begin(talks: number): Promise<void> {
    const { token } = await this.world.account();
    const { json: me } = await this.ask(200, token, 'GET', 'members/me/');
    this.widgets.push((await this.ask(200, token, 'GET', 'widgets/')).json[0]);
    this.widgets.push((await this.ask(201, token, 'POST', 'widgets/', { name: 'Second' })).json);
    this.people.push({ ...me, token, widgets: null, is_away: false });
    for (const role of ['admin', 'operator', 'operator', 'operator']) await this.invite(role);
    await Promise.all(Array.from({ length: talks }, () => this.beginTalk()));
  }

  get owner(): Person {
    return this.people[0] as Person;
  }

  async invite(role: string): Promise<void> {
    const widgets = role === 'operator' && this.chance(0.6) ? this.someWidgets() : null;
    const made = await this.world.people.member(this.owner.token, role, { widgets });
    this.people.push({ ...made, widgets, is_away: false });
  }

  someWidgets(): string[] {
    return this.widgets.filter(() => this.chance(0.5)).map(({ uuid }) => uuid);
  }

  /** A conversation, by a visitor or by the API. */
  async beginTalk(): Promise<void> {
    if (this.chance(0.2)) {
      const { json } = await this.ask(201, this.owner.token, 'POST', 'rooms/', {});
      this.talks.push(new Talk(json, null, Date.parse(json.created_at)));
      return;
    }
    const widget = this.pick(this.widgets);
    const { visitor, room } = await this.world.session(widget.token);
    const talk = new Talk(room, widget.uuid, 0, visitor);
    await this.visitorSays(talk);
    this.talks.push(talk);
  }

  /** @returns the room that it is in, as a body names it */
  #in = (talk: Talk) => ({ room: { uuid: talk.uuid } });

  async visitorSays(talk: Talk): Promise<void> {
    const nickname = this.chance(0.2) ? this.pick(['Ada', 'Linus', '<i>Eve</i>']) : '';
    const body = { body: 'Do you deliver?', nickname, ...this.#in(talk) };
    const who = talk.visitor ? { visitor: talk.visitor } : { token: this.owner.token };
    const { status, json, text } = await this.world.request('POST', '/api/v1/messages/', { ...who, body });
    expect([status, text]).toEqual([201, text]);
    talk.hear({ id: json.uuid, at: Date.parse(json.sent_at), sender: 'visitor', nickname }, this.people);
  }

  async memberSays(talk: Talk, by = this.pick(this.people)): Promise<void> {
    const body = { body: 'We do.', is_support_sender: true, ...this.#in(talk) };
    const { json } = await this.ask(talk.isSeenBy(by) ? 201 : 400, by.token, 'POST', 'messages/', body);
    if (!talk.isSeenBy(by)) return;
    talk.use(false, this.people);
    // The account's own token is nobody.
    const author = by === this.owner ? undefined : by.uuid;
    talk.hear(
      { id: json.uuid, at: Date.parse(json.sent_at), sender: 'person', author, nickname: '' },
      this.people,
    );
  }

  /** A message that another process has stored, told late; or the event of an earlier one once more. */
  async arrives(talk: Talk, sender: Said['sender'], isAgain = false): Promise<void> {
    const messages = this.world.database.collection('messages');
    const earlier = isAgain ? this.pick(talk.said) : this.pick(talk.said.slice(-5));
    if (!earlier) return;
    const { events: _, ...like } = (await messages.findOne({
      _id: earlier.id as never,
    })) as never as StoredMessage;
    const author = sender === 'person' && this.chance(0.5) ? this.pick(this.people.slice(1)) : undefined;
    const said: Said = isAgain
      ? earlier
      : {
          id: randomUUID(),
          at: sender === 'bot' ? Date.now() : earlier.at + this.pick([0, 0, 1]),
          sender,
          author: author?.uuid,
          nickname: sender === 'visitor' && this.chance(0.2) ? 'Late' : '',
        };
    const { account, room: _id, widget, author: writer, ...fields } = like;
    const by = isAgain ? writer : author && { uuid: author.uuid, name: '' };
    const message = addedMessage(
      { _id, account, widget: widget ?? '', label: talk.label },
      isAgain
        ? like
        : {
            ...fields,
            _id: said.id,
            sent_at: new Date(said.at),
            is_support_sender: sender !== 'visitor',
            is_bot: sender === 'bot',
            nickname: said.nickname,
            email: '',
          },
      { author: by && { ...by, avatar: null } },
    );
    const stored = { _id: said.id as never };
    if (isAgain) talk.history.push(`again ${said.id}`);
    if (isAgain) await messages.updateOne(stored, { $push: { events: message.events?.[0] } } as never);
    else await messages.insertOne(message as never);
    this.world.announce?.(message);
    if (!isAgain) talk.hear(said, this.people);
  }

  /** What a member may ask for, and what becomes of it; undefined where it is refused. */
  #change(talk: Talk): { body: Record<string, unknown>; set: Parameters<Talk['set']>[0] | undefined } {
    const until = Date.now() + HOUR_MS + Math.floor(this.random() * HOUR_MS);
    const tags = TAGS.filter(() => this.chance(0.3));
    const assignee = this.pick([null, this.pick(this.people)]);
    const canTake = !assignee || (talk.isSeenBy(assignee) && !assignee.is_away);
    const taken = { assignee: assignee?.uuid ?? null };
    return this.pick([
      { body: { status: 'open' }, set: { status: 'open', snoozed_until: null } },
      { body: { status: 'done' }, set: { status: 'done', snoozed_until: null } },
      { body: { snoozed_until: iso(until) }, set: { status: 'snoozed', snoozed_until: until } },
      {
        body: { snoozed_until: null },
        set: { status: talk.status === 'snoozed' ? 'open' : talk.status, snoozed_until: null },
      },
      { body: taken, set: canTake ? taken : undefined },
      { body: { tags }, set: { tags } },
      {
        body: { tags, status: 'done', ...taken },
        set: canTake ? { tags, status: 'done', snoozed_until: null, ...taken } : undefined,
      },
      { body: { status: 'done', snoozed_until: iso(until) }, set: undefined },
      { body: {}, set: {} },
    ]);
  }

  async patch(talk: Talk, by = this.pick(this.people)): Promise<void> {
    const { body, set } = this.#change(talk);
    const isRead = this.chance(0.3) ? this.chance(0.5) : undefined;
    if (isRead !== undefined) body.is_unread = !isRead;
    const from = Date.now();
    const isForSomebodyAway = this.people.some((one) => one.is_away && one.uuid === body.assignee);
    const status = isForSomebodyAway ? 400 : !talk.isSeenBy(by) ? 404 : set ? 200 : 400;
    await this.ask(status, by.token, 'PATCH', `conversations/${talk.uuid}/`, body);
    if (status !== 200 || !set) return;
    if (Object.keys(set).length > 0) talk.set(set, from);
    for (const tag of set.tags ?? []) this.tags.add(tag);
    if (isRead !== undefined) talk.history.push(`read ${isRead} by ${by.uuid}`);
    if (isRead === true) talk.unread.delete(by.uuid);
    if (isRead === false) talk.unread.add(by.uuid);
  }

  async bulk(talks: readonly Talk[]): Promise<void> {
    const by = this.pick(this.people);
    const tag = this.pick(TAGS);
    const [add, status, isAdd] = [[tag], this.pick(['done', 'open']), this.chance(0.5)];
    const wanted = isAdd ? { add_tags: add } : { status, remove_tags: add, is_unread: false };
    const from = Date.now();
    const uuids = talks.map(({ uuid }) => uuid);
    const { json } = await this.ask(200, by.token, 'POST', 'conversations/bulk/', { uuids, ...wanted });
    const seen = talks.filter((talk) => talk.isSeenBy(by));
    const missing = talks.filter((talk) => !talk.isSeenBy(by)).map(({ uuid }) => uuid);
    expect(json).toMatchObject({ changed: seen.map(({ uuid }) => uuid), missing, refused: [] });
    for (const talk of seen) {
      const { tags } = talk;
      if (isAdd) talk.set({ tags: [...new Set([...tags, tag])] }, from);
      else {
        talk.set({ status, snoozed_until: null, tags: tags.filter((one) => one !== tag) }, from);
        talk.unread.delete(by.uuid);
      }
    }
    if (isAdd && seen.length > 0) this.tags.add(tag);
  }

  async note(talk: Talk): Promise<void> {
    const by = this.pick(this.people);
    const whom = this.pick(this.people);
    const path = `conversations/${talk.uuid}/notes/`;
    const body = `@${whom.username.toUpperCase()}, please look.`;
    await this.ask(talk.isSeenBy(by) ? 201 : 404, by.token, 'POST', path, { body });
    if (!talk.isSeenBy(by) || by === whom || !talk.isSeenBy(whom)) return;
    talk.history.push(`mentioned ${whom.uuid}`);
    talk.unread.add(whom.uuid);
  }

  async useBot(talk: Talk, isBot: boolean): Promise<void> {
    await this.ask(200, this.owner.token, 'PATCH', `rooms/${talk.label}/`, { is_bot_use: isBot });
    talk.use(isBot, this.people);
  }

  async rate(talk: Talk): Promise<void> {
    talk.rating = this.pick([null, 1, 5]);
    await this.ask(200, this.owner.token, 'PATCH', `rooms/${talk.label}/`, { rating: talk.rating });
  }

  /** Is snoozed, and wakes: its hour is over at once. */
  async nap(talk: Talk): Promise<void> {
    const body = { snoozed_until: iso(Date.now() + HOUR_MS) };
    await this.ask(200, this.owner.token, 'PATCH', `conversations/${talk.uuid}/`, body);
    const from = Date.now();
    const over = { $set: { snoozed_until: new Date(from) } };
    await this.world.database.collection('conversations').updateOne({ _id: talk.uuid as never }, over);
    const isAwake = async () => {
      await this.world.wake?.();
      const { json } = await this.ask(200, this.owner.token, 'GET', `conversations/${talk.uuid}/`);
      return json.status === 'open';
    };
    await expect.poll(isAwake, { timeout: 60_000 }).toBe(true);
    talk.set({ status: 'open', snoozed_until: null }, from);
  }

  async deleteTalk(talk: Talk): Promise<void> {
    await this.ask(204, this.owner.token, 'DELETE', `rooms/${talk.label}/`);
    this.talks = this.talks.filter((one) => one !== talk);
  }
}
