import type { Booking, Budget, Budgets, CorrectOptions } from '../../../database/budgets.ts';
import { type AskedFrom, NETWORK_SHARE } from '../../../http/asked-from.ts';
import { LlmError } from './completion.ts';

const DAY_MS = 86_400_000;
const DAY_KEPT_MS = 3 * DAY_MS;
/** A conversation's budget expires this long after its last use. */
const CONVERSATION_KEPT_MS = 30 * DAY_MS;

/** How many tokens may be used; 0 for any number. */
export interface TokenBudgets {
  conversation: number;
  /** Of a client address in a UTC day, whichever accounts it talks to; an IPv6 /48 has NETWORK_SHARE times as many. */
  address: number;
  /** Of an account in a UTC day, and of all accounts together. */
  account: number;
  server: number;
}

/** Who asks a language model: a conversation of an account, from a client's address. */
export interface Asker {
  account: string;
  room: string;
  askedFrom: AskedFrom;
}

/** The budgets of tokens, which hold across processes. */
export class Allowance {
  readonly #budgets: Pick<Budgets, 'take'>;
  readonly #limits: TokenBudgets;

  constructor(budgets: Pick<Budgets, 'take'>, limits: TokenBudgets) {
    this.#budgets = budgets;
    this.#limits = limits;
  }

  /**
   * Books tokens in every budget, or in none.
   * @param correction how the booking is corrected, or taken back where not all of it could be made
   * @returns what corrects the booking when it is known what the call took
   * @throws LlmError that says which budget is used up
   */
  async take(
    { account, room, askedFrom }: Asker,
    tokens: number,
    correction: CorrectOptions,
    now = new Date(),
  ): Promise<Booking['correct']> {
    const { conversation, address, account: daily, server } = this.#limits;
    const [own, network] = askedFrom;
    const day = now.toISOString().slice(0, 10);
    const budget = (_id: string, limit: number, kept: number, of: string): Budget & { of: string } => ({
      _id,
      limit,
      expires_at: new Date(now.getTime() + kept),
      of,
    });
    const ofClient = (client: string, factor: number, of: string) =>
      budget(`server tokens ${day} ${client}`, address * factor, DAY_KEPT_MS, of);
    const taken = await this.#budgets.take(
      [
        budget(`${account} tokens ${room}`, conversation, CONVERSATION_KEPT_MS, 'the conversation'),
        ...(own === undefined ? [] : [ofClient(own, 1, 'the client address today')]),
        ...(network === undefined ? [] : [ofClient(network, NETWORK_SHARE, 'the client network today')]),
        budget(`${account} tokens ${day}`, daily, DAY_KEPT_MS, 'the account today'),
        budget(`server tokens ${day}`, server, DAY_KEPT_MS, 'the server today'),
      ],
      tokens,
      correction,
    );
    if ('exceeded' in taken) throw new LlmError(`the tokens of ${taken.exceeded.of} are used up`);
    return taken.booking.correct;
  }
}
