import { type ConversationCounts, MAX_COUNT, WAITING_RANK } from '@parlor/shared';
import { databaseAway } from '../../database/unavailable.ts';
import { FairTurns } from '../../platform/fair-turns.ts';
import type { View } from '../members/view.ts';
import type { WidgetModel } from '../widgets/widgets.model.ts';
import type { ConversationModel } from './conversation.model.ts';
import { filterOf, indexToCount, type Wanted } from './lists.ts';
import type { TagNames } from './tag-names.ts';

/** How many tags are counted. */
const TAGS = 50;

/** Counts side by side: whatever else is asked of the database meanwhile waits for no more than these. */
const AT_ONCE = 4;

/** Accounts take turns; whoever sees the same and asks meanwhile is answered with the next one's numbers. */
const TURNS = { running: 4, runningOfOne: 1, waitingOfOne: 1_000 };

/** What everybody counts alike who sees the same. */
export type Shared = Omit<ConversationCounts, 'mine' | 'unread'>;

/** Counts conversations for the side bar; each number ends at MAX_COUNT, so that none takes long. */
export class InboxCounts {
  readonly #conversations: ConversationModel;
  readonly #widgets: WidgetModel;
  readonly #tagNames: TagNames;
  readonly #turns = new FairTurns(TURNS, databaseAway);
  /** By view, those whose turn has not come yet. */
  readonly #waiting = new Map<string, Promise<Shared>>();

  constructor(conversations: ConversationModel, widgets: WidgetModel, tagNames: TagNames) {
    this.#conversations = conversations;
    this.#widgets = widgets;
    this.#tagNames = tagNames;
  }

  /**
   * The numbers that a member sees.
   * @param shared what others who see the same have been given already
   * @throws ParlorError `throttled` when too many of the account wait
   */
  async of(view: View, member: string, shared = this.shared(view)): Promise<ConversationCounts> {
    const [common, mine, unread] = await Promise.all([
      shared,
      this.#count(view, { status: 'open', assignee: member }),
      this.#count(view, { status: 'open', unread: { member, is: true } }),
    ]);
    return { ...common, mine, unread };
  }

  /**
   * What everybody counts alike who sees the same. It begins after it was asked for, so that nobody misses a change of its own.
   * @throws ParlorError `throttled` when too many of the account wait
   */
  shared(view: View): Promise<Shared> {
    const key = [view.account, ...(view.widgets ?? ['all'])].join(' ');
    const waiting = this.#waiting.get(key);
    if (waiting) return waiting;
    const leave = () => {
      if (this.#waiting.get(key) === counted) this.#waiting.delete(key);
    };
    const counted = this.#turns.run(view.account, () => {
      leave();
      return this.#countShared(view);
    });
    this.#waiting.set(key, counted);
    // One that gets no turn.
    counted.catch(leave);
    return counted;
  }

  async #countShared(view: View): Promise<Shared> {
    const [widgets, names] = await Promise.all([this.#widgetsOf(view), this.#tagNames.of(view.account)]);
    const tags = names.slice(0, TAGS);
    const [open = 0, unassigned = 0, waiting = 0, snoozed = 0, ...named] = await this.#countAll(view, [
      {},
      { assignee: null },
      { waiting_on: 'us' },
      { status: 'snoozed' },
      ...widgets.map((widget) => ({ widget })),
      ...tags.map((tag) => ({ tag })),
    ]);
    const by = (names: readonly string[], counts: readonly number[]) =>
      Object.fromEntries(names.map((name, at) => [name, counts[at] ?? 0]));
    return {
      open,
      unassigned,
      waiting,
      snoozed,
      widgets: by(widgets, named),
      tags: by(tags, named.slice(widgets.length)),
    };
  }

  async #countAll(view: View, all: readonly Wanted[]): Promise<number[]> {
    const counts: number[] = [];
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const some = all.slice(from, from + AT_ONCE);
      const counted = some.map((wanted) => this.#count(view, { status: 'open', ...wanted }));
      counts.push(...(await Promise.all(counted)));
    }
    return counts;
  }

  async #count(view: View, wanted: Wanted): Promise<number> {
    const filter = filterOf(view, wanted);
    if (!filter) return 0;
    const range = wanted.waiting_on === 'us' ? { rank: { $gt: new Date(WAITING_RANK) } } : {};
    const options = { limit: MAX_COUNT, hint: indexToCount(view, wanted) };
    return this.#conversations.collection.countDocuments({ ...filter, ...range } as never, options);
  }

  async #widgetsOf({ account, widgets }: View): Promise<readonly string[]> {
    if (widgets) return widgets;
    const found = await this.#widgets.find({ account }, { _id: 1 }).lean();
    return found.map(({ _id }) => _id);
  }
}
