import type { KnownMessage } from '../contract/server.ts';
import type { OutItem } from '../transport/queue.ts';

/** One message as it is shown, whoever said it and wherever it is kept. */
export interface Line {
  key: string;
  body: string;
  own?: boolean;
  bot?: boolean;
  nickname?: string;
  /** The address of the picture of the member who wrote it. */
  face?: string | null;
  /** ms; what the widget says by itself has none */
  at?: number;
  state?: 'sending' | 'sent' | 'seen' | 'failed';
  /** Why it failed. */
  reason?: string;
}

/** A line with its place: under a day's heading, first and last of what one sender said in one go. */
export interface Row extends Line {
  day: boolean;
  first: boolean;
  last: boolean;
}

/** Lines of one sender closer than this stand together under one time. */
const GROUP_MS = 5 * 60_000;

const before = (a: KnownMessage, b: KnownMessage) =>
  a.sent_at < b.sent_at || (a.sent_at === b.sent_at && a.uuid < b.uuid);

/** Adds messages to the known ones: each once, ordered by `sent_at` and uuid (docs/contract.md#live-channel). Gives
 *  `known` itself when nothing is new. */
export function merge(
  known: readonly KnownMessage[],
  incoming: readonly KnownMessage[],
): readonly KnownMessage[] {
  const ids = new Set(known.map((message) => message.uuid));
  const fresh = incoming.filter((message) => !ids.has(message.uuid) && ids.add(message.uuid));
  return fresh.length ? [...known, ...fresh].sort((a, b) => (before(a, b) ? -1 : 1)) : known;
}

/**
 * Messages as they are shown.
 *
 * @param keys the queue's id for each own message that this browser sent, by uuid: the bubble stays the same
 *   one when its message comes back from the server, and is not drawn (and read out) twice
 * @param seen the time (ISO) up to which the other side has read
 * @param skew how far this device's clock is ahead of the server's (ms): times are shown by the clock that is looked at
 */
export function toLines(
  said: readonly KnownMessage[],
  keys: ReadonlyMap<string, string>,
  seen: string,
  skew = 0,
): Line[] {
  return said.map((message) => {
    const own = !message.is_support_sender;
    return {
      key: keys.get(message.uuid) ?? message.uuid,
      own,
      ...(!own && { bot: message.is_bot, nickname: message.nickname, face: message.author?.avatar }),
      body: message.body,
      at: Date.parse(message.sent_at) + skew,
      ...(own && { state: message.sent_at <= seen ? 'seen' : 'sent' }),
    };
  });
}

/** What is still on its way, or came back. */
export function waitingLines(items: readonly OutItem[]): Line[] {
  return items
    .filter((item) => item.kind === 'message' && !item.sent)
    .map((item) => ({
      key: item.id,
      own: true,
      body: item.data.body ?? '',
      at: item.at,
      state: item.refused ? 'failed' : 'sending',
      ...(item.refused && { reason: item.refused.reason }),
    }));
}

/** Days, and who speaks in one go. */
export function toRows(lines: readonly Line[]): Row[] {
  const days = lines.map(({ at }) => at && new Date(at).toDateString());
  /** Whether the line at `index` goes on what the one before it began. */
  const goesOn = (index: number) => {
    const a = lines[index - 1];
    const b = lines[index];
    return (
      !!a &&
      !!b &&
      !a.own === !b.own &&
      !a.bot === !b.bot &&
      (a.nickname ?? '') === (b.nickname ?? '') &&
      a.face === b.face &&
      days[index - 1] === days[index] &&
      (b.at ?? 0) - (a.at ?? 0) < GROUP_MS
    );
  };
  return lines.map((line, index) => ({
    ...line,
    day: !!line.at && days[index - 1] !== days[index],
    first: !goesOn(index),
    last: !goesOn(index + 1),
  }));
}
