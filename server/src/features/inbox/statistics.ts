import type { ConversationStatistics } from '@parlor/shared';
import type { Days } from '../../database/pages.ts';
import { databaseAway } from '../../database/unavailable.ts';
import { checkDays, daysOf, isoDay, statisticsDays } from '../../http/statistics-days.ts';
import { invalid } from '../../platform/errors.ts';
import { FairTurns } from '../../platform/fair-turns.ts';
import { inView, type View } from '../members/view.ts';
import type { ConversationModel, StoredConversation } from './conversation.model.ts';

/** As many conversations as one response goes by (docs/limits.md), and how many are read in one step. */
export const MAX_COUNTED = 100_000;
const STEP = 1_000;

/** Each may read as many. */
const TURNS = { running: 2, runningOfOne: 1, waitingOfOne: 20 } as const;

type Counted = Pick<StoredConversation, 'created_at' | 'first_response_at' | 'rating'>;

/** What is known of some conversations. */
class Tally {
  #total = 0;
  readonly #responses: number[] = [];
  readonly #ratings = [0, 0, 0, 0, 0];

  add({ created_at, first_response_at, rating }: Counted): void {
    this.#total++;
    if (first_response_at) {
      // Clocks of two servers may differ by a little.
      const milliseconds = Math.max(0, first_response_at.getTime() - created_at.getTime());
      this.#responses.push(Math.round(milliseconds / 1_000));
    }
    // What is none of the five, as an older version's import has brought, counts as no rating.
    const times = this.#ratings[(rating ?? 0) - 1];
    if (rating !== null && times !== undefined) this.#ratings[rating - 1] = times + 1;
  }

  get ratings(): number[] {
    return [...this.#ratings];
  }

  /** The least number of seconds within which this part of the answered ones had their first answer. */
  within(part: number): number | null {
    const sorted = Float64Array.from(this.#responses).sort();
    return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
  }

  counted() {
    const rated = this.#ratings.reduce((sum, times) => sum + times, 0);
    const stars = this.#ratings.reduce((sum, times, at) => sum + times * (at + 1), 0);
    return {
      total: this.#total,
      answered: this.#responses.length,
      first_response: this.within(0.5),
      rated,
      rating: rated === 0 ? null : Math.round((stars / rated) * 100) / 100,
    };
  }
}

/** How many conversations an account got, how soon they were answered, and what visitors thought of it. */
export class ConversationStatisticsService {
  readonly #conversations: ConversationModel;
  readonly #most: number;
  readonly #turns = new FairTurns(TURNS, databaseAway);

  /** @param most as many conversations as one response goes by */
  constructor(conversations: ConversationModel, most = MAX_COUNTED) {
    this.#conversations = conversations;
    this.#most = most;
  }

  /**
   * The conversations that began in the days given, by default of the current UTC month to now.
   * @param seen says what of the account is seen by whoever asks, once its turn has come
   * @param widget only those that came through it
   * @throws ParlorError `invalid` when those are too many days or conversations; `throttled` when too many of the
   * account wait; what `seen` throws; the reason of `gone`, by which nobody waits for them any more
   */
  async count(
    account: string,
    seen: () => Promise<View>,
    asked: Days,
    widget?: string,
    gone?: AbortSignal,
  ): Promise<ConversationStatistics> {
    const range = statisticsDays(asked);
    checkDays(range);
    const all = new Tally();
    const byDay = new Map(daysOf(range).map((day) => [day, new Tally()]));
    const read = async () => {
      const view = await seen();
      if (widget !== undefined && view.widgets?.includes(widget) === false) return;
      for await (const one of this.#read(view, range, widget)) {
        all.add(one);
        byDay.get(isoDay(one.created_at))?.add(one);
      }
    };
    await this.#turns.run(account, read, gone);
    return {
      start_date: range.start_date,
      end_date: range.end_date,
      ...all.counted(),
      first_response_90: all.within(0.9),
      ratings: all.ratings,
      results: [...byDay].map(([day, tally]) => ({ day, ...tally.counted() })),
    };
  }

  async *#read(
    view: View,
    { start, end }: { start: Date; end: Date },
    widget: string | undefined,
  ): AsyncGenerator<Counted> {
    const seen = widget === undefined ? inView(view) : { account: view.account, widget };
    const first = widget === undefined && view.widgets === undefined ? 'account' : 'widget';
    const found = this.#conversations.collection.find(
      { ...seen, created_at: { $gte: start, $lt: end } } as never,
      {
        projection: { created_at: 1, first_response_at: 1, rating: 1 },
        hint: { [first]: 1, created_at: -1, _id: -1 },
        limit: this.#most + 1,
        batchSize: STEP,
      },
    );
    let count = 0;
    for await (const one of found) {
      if (++count > this.#most) {
        throw invalid({
          start_date: [`There are more than ${this.#most} conversations in these days: ask for fewer days.`],
        });
      }
      yield one as unknown as Counted;
    }
  }
}
