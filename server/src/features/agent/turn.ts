import { MAX_BOT_LEADS, type NodeOf, storableText, type WorkflowNode } from '@parlor/shared';
import { CpuBudget } from '../../platform/cpu-budget.ts';
import { type LeadFields, MAX_SAID_BYTES, type Position, type Said } from '../rooms/bot-state.ts';
import type { Graph } from './graph.ts';
import { cut, fill } from './template.ts';

/**
 * Whoever streams a turn sees by it what the turn is about to say. That is a preview: a model may fail in the middle of its
 * answer, a member may take over, and the whole turn is run once more when another writer came between.
 */
export interface TurnListener {
  /** Another text begins. */
  begin(): void;
  /** A piece of that text. */
  delta(text: string): void;
}

/** What one conversation knows at most, names and values, in bytes of UTF-8. */
const MAX_KNOWN_BYTES = 262_144;

const bytesOf = (texts: Iterable<string>): number => {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes;
};

/** Where a node sends the flow: on to another node, to wait here, or to its end. */
export type Step =
  | { kind: 'go'; to: string | null | undefined }
  | { kind: 'wait' }
  | { kind: 'stop'; status: 'handoff' | 'ended' };

export const go = (to: string | null | undefined): Step => ({ kind: 'go', to });
export const wait: Step = { kind: 'wait' };

/** What a node does when the flow comes to it. */
export type Runner<N extends WorkflowNode> = (node: N, turn: Turn) => Step | Promise<Step>;

/** One line of what was said before. */
export interface HistoryLine {
  sender: 'visitor' | 'bot' | 'person';
  text: string;
}

export type LlmNode = NodeOf<'llm'>;

/** How long the work of one turn may hold the event loop: most take a millisecond or two. */
const MAX_TURN_MS = 1_000;

/**
 * Answers a visitor's message through a language model.
 * @throws ParlorError `stopping`, or what a new request would be refused with where its room is gone, or its caller's
 * credential: the turn is not taken then, and nothing of it stored; and another Error when it can't
 */
export type Ask = (
  node: LlmNode,
  turn: Pick<Turn, 'variables'> & { input: string },
  delta: (text: string) => void,
) => Promise<string>;

/** One turn while it runs: what came in, what is known, what was said. */
export class Turn {
  readonly graph: Graph;
  readonly ask: Ask;
  /** Whose bot it is. */
  readonly account: string;
  readonly budget: CpuBudget;
  readonly variables: Map<string, string>;
  readonly said: Said[] = [];
  readonly leads: LeadFields[] = [];
  /** The nodes that it went through. */
  readonly passed: string[] = [];
  /** faq and llm nodes that had this turn's message: each takes one a turn. */
  readonly tried = new Set<string>();
  /** What the visitor wrote, until a node has taken it. */
  input: string | undefined;
  asked: number;
  /** It has said as much as a turn may: the flow goes on with the next message. */
  isFull = false;
  /** What went wrong first that did not keep the flow from going on; the operator should know of it. */
  fault: string | undefined;
  readonly #listener: TurnListener | undefined;
  /** How many leads the turns before have taken. */
  readonly #leadsBefore: number;
  /** What was said and whoever streams the turn has not seen yet. */
  #unseen: string[] = [];
  #lastSentAt: Date;
  #saidBytes = 0;

  constructor(
    graph: Graph,
    position: Pick<Position, 'asked' | 'variables'>,
    given: {
      account: string;
      input: string | undefined;
      ask: Ask;
      lastSentAt: Date;
      listener: TurnListener | undefined;
      /** How many leads the turns before have taken; none unless it is said. */
      leadsBefore?: number | undefined;
    },
  ) {
    this.graph = graph;
    this.account = given.account;
    this.budget = new CpuBudget(given.account, MAX_TURN_MS);
    this.ask = given.ask;
    this.variables = new Map(position.variables);
    this.asked = position.asked;
    this.input = given.input;
    this.#lastSentAt = given.lastSentAt;
    this.#listener = given.listener;
    this.#leadsBefore = given.leadsBefore ?? 0;
  }

  /** The text with what is known filled in. */
  fill(template: string | null | undefined): string {
    return fill(template ?? '', this.variables);
  }

  /**
   * Says a text as nearly as a message can hold it; a blank one is not said. Every message has a time of its own, so that they keep their order.
   * @param wasSeen it is an answer of `answer`
   */
  say(text: string, wasSeen = false): void {
    const message = cut(storableText(cut(text)));
    if (message.trim() === '') return;
    const bytes = Buffer.byteLength(message);
    if (this.#saidBytes + bytes > MAX_SAID_BYTES) {
      this.isFull = true;
      return;
    }
    this.#saidBytes += bytes;
    const sent_at = new Date(Math.max(Date.now(), this.#lastSentAt.getTime() + 1));
    this.#lastSentAt = sent_at;
    this.said.push({ text: message, sent_at });
    if (!wasSeen) this.#unseen.push(message);
  }

  /** Takes a lead. @returns false where the conversation has as many as its bot may take */
  take(lead: LeadFields): boolean {
    if (this.leadCount >= MAX_BOT_LEADS) return false;
    this.leads.push(lead);
    return true;
  }

  /** How many leads the bot has taken in the conversation, those of this turn among them. */
  get leadCount(): number {
    return this.#leadsBefore + this.leads.length;
  }

  /** Keeps an answer under a name; not where the conversation knows as much as it may. */
  keep(name: string, answer: string): void {
    const known = bytesOf(this.variables.keys()) + bytesOf(this.variables.values());
    const before = this.variables.get(name);
    const freed = before === undefined ? 0 : bytesOf([name, before]);
    if (known - freed + bytesOf([name, answer]) <= MAX_KNOWN_BYTES) this.variables.set(name, answer);
  }

  /**
   * Asks a language model. Whoever streams the turn sees what was said before it, since a model takes its time, and then
   * the answer as it is made.
   * @throws whatever `ask` throws
   */
  answer(node: LlmNode, input: string): Promise<string> {
    for (const text of this.#unseen.splice(0)) {
      this.#listener?.begin();
      this.#listener?.delta(text);
    }
    this.#listener?.begin();
    return this.ask(node, { variables: this.variables, input }, (text) => this.#listener?.delta(text));
  }
}
