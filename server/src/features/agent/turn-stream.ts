import { ParlorError } from '../../platform/errors.ts';
import type { TurnResult } from '../rooms/bot-state.ts';
import type { TurnListener } from './turn.ts';
import { presentTurn } from './turns.ts';

/** How far a stream is: the number of whole messages, and of characters of the next one. */
interface Place {
  messages: number;
  characters: number;
}

interface Frame {
  place: Place;
  text: string;
}

const isAfter = (a: Place, b: Place): boolean =>
  a.messages > b.messages || (a.messages === b.messages && a.characters > b.characters);

const START: Place = { messages: 0, characters: 0 };
const DONE: Place = { messages: Number.POSITIVE_INFINITY, characters: 0 };

const EVENT_ID = /^([\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12})\.(?:(\d{1,6})\.(\d{1,6})|done)$/;

/** Reads `Last-Event-ID`: the turn, and how much of it has arrived. Undefined when it is none of these ids. */
export const readEventId = (id: string): { turn: string; after: Place } | undefined => {
  const [, turn, messages, characters] = EVENT_ID.exec(id) ?? [];
  if (!turn) return undefined;
  const isDone = messages === undefined;
  return { turn, after: isDone ? DONE : { messages: Number(messages), characters: Number(characters) } };
};

/**
 * A turn as server-sent events, while it is made (docs/contract.md#agent-api). Each id says how far the
 * stream is, so that whoever lost the connection goes on from there, with this stream or with the turn as it
 * was stored.
 */
export class TurnStream implements TurnListener {
  readonly #turn: string;
  readonly #frames: Frame[] = [];
  readonly #readers = new Set<(frame: Frame) => void>();
  /** Why the turn could not be taken. */
  failure: unknown;
  #place = START;

  constructor(turn: string) {
    this.#turn = turn;
  }

  /** Gives everything after `after`, and then what comes. @returns what ends it */
  read(after: Place | undefined, reader: (text: string) => void): () => void {
    const pass = ({ place, text }: Frame): void => {
      if (!after || isAfter(place, after)) reader(text);
    };
    this.#frames.forEach(pass);
    this.#readers.add(pass);
    return () => this.#readers.delete(pass);
  }

  /** Everything that was streamed. */
  get text(): string {
    return this.#frames.map(({ text }) => text).join('');
  }

  begin(): void {
    // A turn that begins once more passes over what has been streamed already.
    this.#place = START;
  }

  delta(text: string): void {
    const { messages, characters } = this.#place;
    this.#push({ messages, characters: characters + text.length }, 'delta', { text });
  }

  message(text: string, sentAt: Date): void {
    const [shown] = presentTurn({ messages: [{ text, sent_at: sentAt }], status: 'active' }).messages;
    this.#push({ messages: this.#place.messages + 1, characters: 0 }, 'message', shown);
  }

  /** The turn is stored: what has not been streamed of it, and its end. */
  finish(result: TurnResult): void {
    const { messages } = this.#place;
    for (const { text, sent_at } of result.messages.slice(messages)) this.message(text, sent_at);
    this.#push(DONE, 'done', { status: result.status });
  }

  /** The turn could not be taken; nothing of it is stored. */
  fail(error: unknown): void {
    this.failure = error;
    const text = error instanceof ParlorError ? error.message : 'Internal server error.';
    this.#push(DONE, 'error', { error: text });
  }

  #push(place: Place, event: string, data: unknown): void {
    this.#place = place;
    const last = this.#frames.at(-1)?.place ?? START;
    if (this.#frames.length > 0 && !isAfter(place, last)) return;
    const at = place === DONE ? 'done' : `${place.messages}.${place.characters}`;
    const text = `id: ${this.#turn}.${at}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    this.#frames.push({ place, text });
    for (const reader of this.#readers) reader({ place, text });
  }
}
