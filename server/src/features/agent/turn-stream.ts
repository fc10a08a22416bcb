import { createHash } from 'node:crypto';
import { DEFECT, shownError } from '../../http/error-responses.ts';
import type { TurnResult } from '../rooms/bot-state.ts';
import type { TurnListener } from './turn.ts';
import { presentTurn } from './turns.ts';

/** How far a stream is: the number of messages, and before the first of them the number of characters of the preview. */
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

/** What earlier versions made has no digits of what was said. */
const EVENT_ID =
  /^([\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12})(?:-([\da-f]{16}))?\.(?:(\d{1,6})\.(\d{1,9})|done)$/;

/** A message in its conversation, which its turn answers. */
export interface Said {
  conversation: string;
  text: string;
}

/** Digits by which the ids of a turn's events tell its message from others. */
const digitsOf = (turn: string, { conversation, text }: Said): string =>
  createHash('sha256').update(`${turn} ${conversation} ${text}`).digest('hex').slice(0, 16);

/**
 * Reads `Last-Event-ID`: the turn, and how much of it has arrived. Undefined when it is none of these ids, and of another message than
 * `said`, or in another conversation: clients keep the last id that they had.
 */
export const readEventId = (id: string, said: Said): { turn: string; after: Place } | undefined => {
  const [, turn, digits, messages, characters] = EVENT_ID.exec(id) ?? [];
  if (!turn || (digits !== undefined && digits !== digitsOf(turn, said))) return undefined;
  const isDone = messages === undefined;
  return { turn, after: isDone ? DONE : { messages: Number(messages), characters: Number(characters) } };
};

/**
 * A turn as server-sent events, while it is made (docs/agent.md): a preview, and what was said once it is stored. Each id
 * says how far the stream is, so that whoever lost the connection goes on from there, with this stream or with the turn as
 * it was stored.
 */
export class TurnStream implements TurnListener {
  /** What its ids begin with. */
  readonly #name: string;
  readonly #frames: Frame[] = [];
  readonly #readers = new Set<(frame: Frame) => void>();
  /** Why the turn failed. */
  failure: unknown;
  readonly #after: Place;
  #characters: number;
  #begins = false;

  /** @param after how far its caller is by a stream that this one takes the place of: it goes on with another preview */
  constructor(turn: string, said: Said, after: Place = START) {
    this.#name = `${turn}-${digitsOf(turn, said)}`;
    this.#after = after;
    this.#characters = after.characters;
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
    this.#begins = true;
  }

  delta(text: string): void {
    // Texts of a turn are parted as the messages of one response are: an answer that broke off does not run on in the next.
    const piece = this.#begins && this.#characters > 0 ? `\n\n${text}` : text;
    this.#begins = false;
    this.#characters += piece.length;
    this.#push({ messages: 0, characters: this.#characters }, 'delta', { text: piece });
  }

  /** The turn is stored: only now it is sure what was said. */
  finish(result: TurnResult): void {
    const { messages, status } = presentTurn(result);
    for (const [index, message] of messages.entries()) {
      this.#push({ messages: index + 1, characters: 0 }, 'message', message);
    }
    this.#push(DONE, 'done', { status });
  }

  /**
   * The turn could not be taken, or nobody knows whether it was, as when the database's reply was lost. The event has the
   * id of the one before, also of a stream that this one takes the place of: whoever comes back with it is told what is stored by then.
   */
  fail(error: unknown): void {
    this.failure = error;
    this.#push(DONE, 'error', this.#told(error), this.#place);
  }

  /** The event with which a reader is told why it gets no more, whatever comes of the turn: as that of `fail`. */
  brokenOff(error: unknown): string {
    return this.#event('error', this.#told(error), this.#place);
  }

  get #place(): Place {
    return this.#frames.at(-1)?.place ?? this.#after;
  }

  #told(error: unknown): { error: string } {
    return { error: shownError(error)?.message ?? DEFECT };
  }

  /** @param named the place that the event's id names */
  #event(event: string, data: unknown, named: Place): string {
    const at = named.messages === DONE.messages ? 'done' : `${named.messages}.${named.characters}`;
    return `id: ${this.#name}.${at}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  }

  #push(place: Place, event: string, data: unknown, named = place): void {
    const text = this.#event(event, data, named);
    this.#frames.push({ place, text });
    for (const reader of this.#readers) reader({ place, text });
  }
}
