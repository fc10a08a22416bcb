import type { Readable } from 'node:stream';
import { codePoints, MAX_MESSAGE, wellFormed } from '@parlor/shared';
import { createParser } from 'eventsource-parser';
import { neverConnected, type Outgoing } from '../../../net/outgoing.ts';
import { readRetryAfter } from '../../../net/retry-after.ts';
import { cut } from '../template.ts';
import type { TokenCount } from './token-count.ts';

/** The endpoint could not give an answer. The text holds nothing of what was said. */
export class LlmError extends Error {
  override name = 'LlmError';
  /** Milliseconds after which another attempt makes sense; undefined when none does. */
  readonly retryAfter: number | undefined;

  constructor(message: string, retryAfter?: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface CompletionRequest {
  url: string;
  apiKey: string;
  model: string;
  messages: readonly ChatMessage[];
  maxTokens: number;
  temperature: number | undefined;
  outgoing: Pick<Outgoing, 'request'>;
  signal: AbortSignal;
  /** A piece of the answer has come. */
  delta(text: string): void;
  /** Is told what the request takes, also where it fails. */
  count: TokenCount;
}

/** Bytes of one event, and of a whole answer with its framing. */
const MAX_EVENT_BYTES = 256 * 1024;
const MAX_BYTES = 8 * 1024 * 1024;

/** Of a whole response, with that of HTTP. */
export const MAX_WIRE_BYTES = 2 * MAX_BYTES;

/** How long an answer that is whole waits for the count of its tokens, and for its stream to end, which some are left open. */
const ENDED_WITHIN_MS = 5_000;

/** Before another attempt where the endpoint does not say when; the caller's time is limited. */
const RETRY_AFTER_MS = 500;

/** What a proxy in front of the endpoint says when that has worked on a request for too long. */
const GATEWAY_TIMEOUTS: readonly number[] = [504, 524];

/** A part of an answer, with the thoughts before it by the names that endpoints have for these. */
interface Piece {
  content?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
}

interface Chunk {
  choices?: { delta?: Piece; message?: Piece; finish_reason?: string | null }[];
  usage?: { total_tokens?: number } | null;
  error?: unknown;
}

/**
 * Asks an OpenAI-compatible endpoint for a chat completion, streamed, once.
 * @returns its text
 * @throws LlmError
 */
export const complete = async (asked: CompletionRequest): Promise<string> => {
  const { url, apiKey, model, messages, maxTokens, temperature, outgoing, signal, count } = asked;
  const { origin, pathname, search } = new URL(`${url}/chat/completions`);
  const answer = await outgoing
    .request({
      origin,
      path: pathname + search,
      method: 'POST',
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        messages,
        max_tokens: maxTokens,
        ...(temperature !== undefined && { temperature }),
        stream: true,
        stream_options: { include_usage: true },
      }),
    })
    .catch((error: Error) => {
      if (neverConnected(error)) count.refused();
      throw new LlmError(`no answer: ${error.message}`, RETRY_AFTER_MS);
    });
  const { statusCode, headers, body } = answer;
  // A body that is given up must not end the process.
  body.on('error', () => undefined);
  try {
    if (statusCode !== 200) {
      const canRetry = statusCode === 429 || statusCode >= 500;
      if (canRetry && !GATEWAY_TIMEOUTS.includes(statusCode)) count.refused();
      throw new LlmError(`status ${statusCode}`, canRetry ? retryAfter(headers['retry-after']) : undefined);
    }
    const reader = new AnswerReader(asked.delta, count);
    if (String(headers['content-type'] ?? '').includes('json')) await readWhole(body, reader);
    else await readStream(body, reader);
    return reader.finish();
  } catch (error) {
    throw error instanceof LlmError ? error : new LlmError(`broke off: ${(error as Error).message}`);
  } finally {
    body.destroy();
  }
};

/** Puts an answer together from its pieces. */
class AnswerReader {
  readonly #delta: (text: string) => void;
  readonly #count: TokenCount;
  #text = '';
  /** The first half of a character whose other half comes with the next piece. */
  #half = '';
  /** Code points that still have room. */
  #left = MAX_MESSAGE;
  #isFinished = false;
  /** Some endpoints give each piece a `finish_reason`, which says nothing then. */
  #isGoingOn = false;
  /** Nothing that comes now is wanted any more. */
  isFull = false;

  constructor(delta: (text: string) => void, count: TokenCount) {
    this.#delta = delta;
    this.#count = count;
  }

  /** @throws LlmError for what is no chunk of a completion */
  take(data: string): void {
    if (data === '[DONE]') {
      this.#finish();
      this.isFull = true;
      return;
    }
    let chunk: Chunk;
    try {
      chunk = JSON.parse(data) as Chunk;
    } catch {
      throw new LlmError('sent broken JSON');
    }
    if (typeof chunk !== 'object' || chunk === null) throw new LlmError('sent an error');
    const tokens = chunk.usage?.total_tokens;
    // What is no count, such as -1 or 1e999, would spoil the budgets.
    const isCount = Number.isSafeInteger(tokens) && Number(tokens) >= 0;
    if (isCount) this.#count.said(Number(tokens));
    if (chunk.error) throw new LlmError('sent an error');
    const choice = chunk.choices?.[0];
    // By their names alone: whatever else an endpoint sends there, as a text of megabytes, is not gone through.
    const { message, delta } = choice ?? {};
    const content = delta?.content ?? message?.content;
    const thoughts =
      delta?.reasoning_content ?? message?.reasoning_content ?? delta?.reasoning ?? message?.reasoning;
    if (typeof thoughts === 'string') this.#count.came(thoughts);
    if (typeof content === 'string' && content !== '') this.#add(content);
    if (choice?.finish_reason) this.#finish();
    // Alone it comes behind everything else; some endpoints count with each piece.
    if (isCount && this.isWhole && !choice) this.isFull = true;
  }

  /** Whether nothing of the answer is to come, as far as its stream tells; the count of its tokens may be. */
  get isWhole(): boolean {
    return this.#isFinished && !this.#isGoingOn && this.#text.trim() !== '';
  }

  /** The whole text. */
  finish(): string {
    if (!this.#isFinished) throw new LlmError('the stream was cut');
    if (this.#text.trim() === '') throw new LlmError('sent no text');
    return this.#text;
  }

  #finish(): void {
    this.#isFinished = true;
    this.#count.finished();
  }

  #add(sent: string): void {
    this.#count.came(sent);
    if (this.#isFinished && this.#text !== '') this.#isGoingOn = true;
    const begun = this.#half + sent;
    this.#half = /[\ud800-\udbff]$/.exec(begun)?.[0] ?? '';
    const piece = wellFormed(begun.slice(0, begun.length - this.#half.length));
    // By piece: an answer may come in ten thousand.
    const kept = cut(piece, this.#left);
    this.#left -= codePoints(kept);
    this.#text += kept;
    if (kept !== '') this.#delta(kept);
    if (kept.length < piece.length) {
      this.#finish();
      this.isFull = true;
    }
  }
}

/** Reads until the answer is whole and its tokens are counted, not to the stream's end: some endpoints leave it open. */
const readStream = async (body: Readable, reader: AnswerReader): Promise<void> => {
  let failure: unknown;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_BYTES,
    onEvent: ({ data }) => {
      try {
        if (!reader.isFull && !failure) reader.take(data);
      } catch (error) {
        failure = error;
      }
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') failure = new LlmError('sent an event without end');
    },
  });
  const decoder = new TextDecoder();
  let bytes = 0;
  let patience: NodeJS.Timeout | undefined;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw new LlmError('sent an answer without end');
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (failure) throw failure;
      if (reader.isFull) return;
      if (reader.isWhole) patience ??= setTimeout(() => body.destroy(), ENDED_WITHIN_MS);
      else clearTimeout(patience);
    }
  } catch (error) {
    // What comes behind a whole answer takes nothing from it.
    if (!reader.isWhole) throw error;
  } finally {
    clearTimeout(patience);
  }
};

/** An endpoint that does not stream answers with the whole completion. */
const readWhole = async (body: AsyncIterable<Buffer>, reader: AnswerReader): Promise<void> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new LlmError('sent an answer without end');
    chunks.push(chunk);
  }
  reader.take(Buffer.concat(chunks).toString('utf8'));
  reader.take('[DONE]');
};

const retryAfter = (header: string | string[] | undefined): number =>
  readRetryAfter(typeof header === 'string' ? header : undefined, new Date()) ?? RETRY_AFTER_MS;
