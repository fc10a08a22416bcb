import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_ANSWER_TOKENS } from '@parlor/shared';
import type { Logger } from 'pino';
import type { Outgoing } from '../../../net/outgoing.ts';
import { serverStops } from '../../../platform/errors.ts';
import { FairTurns, type TurnLimits } from '../../../platform/fair-turns.ts';
import { timeLimit } from '../../../platform/time-limit.ts';
import type { HistoryLine, LlmNode } from '../turn.ts';
import type { Allowance, Asker } from './allowance.ts';
import { type CompletionRequest, complete, LlmError } from './completion.ts';
import { requestMessages, tokensOf } from './history.ts';
import { TokenCount } from './token-count.ts';

/** Attempts of one question, while nothing of an answer has come. */
const MAX_ATTEMPTS = 3;

/** The longest answer where a node does not say, in tokens. */
const MAX_TOKENS = 1_000;

/**
 * Questions that are asked at once, each on a connection of its own, and of one account: a public key asks as many as it likes.
 * The others wait, for as long as an answer may take (docs/limits.md).
 */
const QUESTIONS: TurnLimits = { running: 128, runningOfOne: 64, waitingOfOne: 1_000 };

/** All language model nodes of a turn have this much time together (milliseconds). */
const TURN_TIME_MS = 60_000;

export interface LanguageModelSettings {
  /** A base such as `https://host/v1`; empty: there is none. */
  url: string;
  apiKey: string;
  /** For nodes that name none. */
  model: string;
  /** Those that nodes may name. */
  models: ReadonlySet<string>;
  /** The window that a request and its answer share, in tokens. */
  contextTokens: number;
  /** Milliseconds for an answer, repeated attempts included. */
  timeout: number;
}

/** What a visitor asked, and what goes with it. */
export interface Question extends Asker {
  node: LlmNode;
  variables: ReadonlyMap<string, string>;
  /** Reads what was said before: once it is asked, since whole conversations are not to wait in memory. */
  history(): Promise<readonly HistoryLine[]>;
  input: string;
  /** Aborted, with an error that is thrown, once nobody can be answered any more. */
  gone?: AbortSignal;
  delta(text: string): void;
}

/** How long an answer may be, in tokens: within bounds also of a node that no route has taken, since it is booked. */
const answerTokens = ({ max_tokens }: LlmNode, contextTokens: number): number => {
  const wanted = Number.isFinite(max_tokens) ? Math.trunc(Number(max_tokens)) : MAX_TOKENS;
  return Math.min(Math.max(1, wanted), MAX_ANSWER_TOKENS, Math.floor(contextTokens / 2));
};

/** Questions to a language model through an OpenAI-compatible endpoint (docs/contract.md#agent-api). */
export class LanguageModel {
  readonly #settings: LanguageModelSettings;
  readonly #outgoing: Outgoing;
  readonly #allowance: Pick<Allowance, 'take'>;
  readonly #log: Logger;
  readonly #questions = new FairTurns(QUESTIONS);
  readonly #stopped = new AbortController();

  constructor(
    settings: LanguageModelSettings,
    outgoing: Outgoing,
    allowance: Pick<Allowance, 'take'>,
    log: Logger,
  ) {
    this.#settings = settings;
    this.#outgoing = outgoing;
    this.#allowance = allowance;
    this.#log = log;
  }

  /** The questions of one turn, which have their time together. */
  forTurn(): (question: Question) => Promise<string> {
    let ends: number | undefined;
    return async (question) => {
      ends ??= performance.now() + TURN_TIME_MS;
      const end = Math.min(performance.now() + this.#settings.timeout, ends);
      try {
        const ask = () => {
          this.#stopped.signal.throwIfAborted();
          const left = end - performance.now();
          if (left <= 0) throw new LlmError('too many questions are asked at once');
          return this.#ask(question, left);
        };
        return await this.#questions.run(question.account, ask, question.gone);
      } catch (error) {
        if (this.#stopped.signal.aborted) throw serverStops();
        question.gone?.throwIfAborted();
        const { account, node } = question;
        // Never what was said: the text of an LlmError holds nothing of it.
        this.#log.warn({ err: error, account, node: node.id }, 'a language model did not answer');
        throw error;
      }
    };
  }

  /** Ends all questions, with ParlorError `stopping`. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#outgoing.destroy();
  }

  async #ask(
    { account, room, askedFrom, node, variables, history, input, gone, delta }: Question,
    time: number,
  ): Promise<string> {
    const { url, apiKey, contextTokens } = this.#settings;
    const model = node.model || this.#settings.model;
    if (url === '') throw new LlmError('LLM_URL is not set');
    if (model === '') throw new LlmError('neither the node nor LLM_MODEL names a model');
    if (!this.#settings.models.has(model)) throw new LlmError('the model is not one of LLM_MODELS');
    const maxTokens = answerTokens(node, contextTokens);
    const window = contextTokens - maxTokens;
    const messages = requestMessages(node.prompt ?? '', variables, await history(), input, window);
    const prompt = tokensOf(messages);
    const booked = prompt + maxTokens;
    const correct = await this.#allowance.take({ account, room, askedFrom }, booked, {
      signal: this.#stopped.signal,
      failed: (error) => this.#log.warn({ err: error }, 'counting tokens failed'),
    });
    const counts: TokenCount[] = [];
    const counted = (): TokenCount => {
      const count = new TokenCount({ prompt, booked });
      counts.push(count);
      return count;
    };
    try {
      return await this.#attempts(
        { url, apiKey, model, messages, maxTokens, temperature: node.temperature ?? undefined, delta },
        time,
        counted,
        gone,
      );
    } finally {
      for (const { impossible } of counts) {
        if (impossible === undefined) continue;
        const what = { account, node: node.id, tokens: impossible };
        this.#log.warn(what, 'a count of tokens that can not be: estimated');
      }
      // Each request was paid for, whatever came of it.
      await correct(counts.reduce((sum, { total }) => sum + total, 0));
    }
  }

  /** Tries again after 429, 5xx and lost connections, while there is time and nothing of an answer has come. */
  async #attempts(
    asked: Omit<CompletionRequest, 'outgoing' | 'signal' | 'count'>,
    time: number,
    counted: () => TokenCount,
    gone: AbortSignal | undefined,
  ): Promise<string> {
    const others = gone ? [gone] : [];
    const signal = timeLimit(Math.ceil(time), ...others);
    const ends = performance.now() + time;
    let hasBegun = false;
    const delta = (text: string): void => {
      hasBegun = true;
      asked.delta(text);
    };
    for (let attempt = 1; ; attempt++) {
      try {
        return await complete({ ...asked, delta, outgoing: this.#outgoing, signal, count: counted() });
      } catch (error) {
        if (signal.aborted) throw new LlmError(`no answer within ${Math.round(time / 1_000)} s`);
        const wait = error instanceof LlmError ? error.retryAfter : undefined;
        const isInTime = wait !== undefined && performance.now() + wait < ends;
        if (hasBegun || !isInTime || attempt === MAX_ATTEMPTS) throw error;
        await sleep(wait, undefined, { signal: AbortSignal.any([this.#stopped.signal, ...others]) });
      }
    }
  }
}
