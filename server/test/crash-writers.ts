import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { caller } from './rest.ts';
import type { ReceivedMail } from './smtp-receiver.ts';
import { type Hit, sleep } from './webhooks-parts.ts';

/** What its messages mention, now and then. */
export const KEYWORD = 'refund';

type Rest = ReturnType<typeof caller>;

/** Every change that was asked for, by event and a text of its own, and those that were acknowledged. */
export class Writers {
  readonly asked = new Set<string>();
  /** With the uuid of the object that the answer named. */
  readonly acknowledged = new Map<string, string>();
  readonly #url: () => string;
  readonly #token: string;
  readonly #room: string;
  #isOn = true;

  /** @param url where to write now; servers come and go */
  constructor(url: () => string, token: string, room: string) {
    this.#url = url;
    this.#token = token;
    this.#room = room;
  }

  /** Writes one thing after another until it is told to stop; a server that dies is simply not answered. */
  async write(): Promise<void> {
    const steps = [this.#message, this.#mention, this.#message, this.#shortLivedRoom, this.#lead];
    for (let n = Math.floor(Math.random() * steps.length); this.#isOn; n++) {
      const step = steps[n % steps.length] ?? this.#message;
      await step.call(this, caller(this.#url(), `Token ${this.#token}`)).catch(() => sleep(20));
      await sleep(Math.random() * 30);
    }
  }

  stop(): void {
    this.#isOn = false;
  }

  async #ask(rest: Rest, event: string, text: string, method: string, path: string, body: object) {
    this.asked.add(`${event} ${text}`);
    const { status, json } = await rest(method, path, body);
    if (status !== 200 && status !== 201) return undefined;
    this.acknowledged.set(`${event} ${text}`, json.uuid);
    return json;
  }

  async #message(rest: Rest, body: string = randomUUID()): Promise<void> {
    const message = { body, room: { uuid: this.#room } };
    await this.#ask(rest, 'message.added', body, 'POST', '/api/v1/messages/', message);
  }

  async #mention(rest: Rest): Promise<void> {
    const body = `${randomUUID()} ${KEYWORD}`;
    this.asked.add(`keyword_notification.added ${body}`);
    await this.#message(rest, body);
  }

  /** A room that is deleted as soon as it is there. */
  async #shortLivedRoom(rest: Rest): Promise<void> {
    const name = randomUUID();
    const room = await this.#ask(rest, 'chat.added', name, 'POST', '/api/v1/rooms/', { name });
    if (room) await rest('DELETE', `/api/v1/rooms/${room.label}/`);
  }

  async #lead(rest: Rest): Promise<void> {
    const [made, changed] = [randomUUID(), randomUUID()];
    const lead = await this.#ask(rest, 'lead.added', made, 'POST', '/api/v1/leads/', { nickname: made });
    if (!lead) return;
    const path = `/api/v1/leads/${lead.uuid}/`;
    await this.#ask(rest, 'lead.changed', changed, 'PATCH', path, { nickname: changed });
  }
}

const textOf = ({ json }: Hit): string => {
  const { body, name, nickname, customer_request } = json.data;
  return `${json.webhook.event} ${customer_request ?? body ?? name ?? nickname}`;
};

/** What the subscribers and the mail server got, by event and text. */
const byText = (hits: readonly Hit[]): Map<string, Hit[]> => {
  const found = new Map<string, Hit[]>();
  for (const hit of hits) found.set(textOf(hit), [...(found.get(textOf(hit)) ?? []), hit]);
  return found;
};

const notificationsOf = ({ acknowledged }: Writers): string[] =>
  [...acknowledged.keys()]
    .filter((text) => text.endsWith(KEYWORD))
    .map((text) => text.replace('message.added', 'keyword_notification.added'));

/** What a mail tells of: the texts that it shows, and how many more there are. A mail of one shows its conversation, too. */
const toldBy = ({ headers, body }: ReceivedMail): { shown: string[]; more: number } => {
  const quoted = [...body.matchAll(/^> (.*)$/gm)].map(([, text = '']) => text);
  const isDigest = headers['message-id']?.startsWith('<keyword-digest.');
  const more = Number(/^And (\d+) more:/m.exec(body)?.[1] ?? 0);
  return { shown: isDigest ? quoted : quoted.slice(0, 1), more };
};

/** What was not mailed, beyond those that digests have counted and not listed. */
const notMailed = (bodies: readonly string[], mails: readonly ReceivedMail[]): string[] => {
  const told = [...new Map(mails.map((mail) => [mail.headers['message-id'], toldBy(mail)])).values()];
  const shown = new Set(told.flatMap((mail) => mail.shown));
  const unlisted = told.reduce((sum, { more }) => sum + more, 0);
  return bodies.filter((body) => !shown.has(body)).slice(unlisted);
};

/** What was acknowledged and has not arrived. */
export const missing = (writers: Writers, hits: readonly Hit[], mails: readonly ReceivedMail[]): string[] => {
  const arrived = byText(hits);
  const notifications = notificationsOf(writers);
  return [
    ...[...writers.acknowledged.keys(), ...notifications].filter((text) => !arrived.has(text)),
    ...notMailed(
      notifications.map((text) => text.replace('keyword_notification.added ', '')),
      mails,
    ).map((body) => `mail ${body}`),
  ];
};

/**
 * What arrived is what was acknowledged: each at least once, each under one id and in the same bytes, and nothing
 * that nobody asked for.
 * @returns how many requests and mails came more than once
 */
export const expectAtLeastOnce = (
  writers: Writers,
  hits: readonly Hit[],
  mails: readonly ReceivedMail[],
): { repeated: number; repeatedMails: number } => {
  expect(missing(writers, hits, mails)).toEqual([]);
  const arrived = byText(hits);
  for (const [text, uuid] of writers.acknowledged) {
    expect([text, arrived.get(text)?.[0]?.json.data.uuid]).toEqual([text, uuid]);
  }
  const ids = new Set<unknown>();
  for (const [text, got] of arrived) {
    expect([text, writers.asked.has(text)]).toEqual([text, true]);
    const copies = new Set(got.map(({ headers, body }) => `${headers['webhook-id']} ${body}`));
    expect([text, copies.size]).toEqual([text, 1]);
    ids.add(got[0]?.headers['webhook-id']);
  }
  expect(ids.size).toBe(arrived.size);
  const copies = new Map<unknown, Set<string>>();
  for (const { headers, body } of mails) {
    const id = headers['message-id'];
    copies.set(id, (copies.get(id) ?? new Set()).add(body));
  }
  const mailed = new Set([...copies.values()].flatMap((bodies) => [...bodies]));
  // One text under one Message-ID, and the other way round.
  expect([...copies.values()].every(({ size }) => size === 1)).toBe(true);
  expect(mailed.size).toBe(copies.size);
  return { repeated: hits.length - arrived.size, repeatedMails: mails.length - copies.size };
};
