import { type ConversationCounts, MAX_COUNT } from '@parlor/shared';
import type { View } from '../members/view.ts';
import type { WidgetModel } from '../widgets/widgets.model.ts';
import type { ConversationModel } from './conversation.model.ts';
import { filterOf, indexFor, type Wanted } from './lists.ts';
import { WAITING_RANK } from './state.ts';
import type { TagNames } from './tag-names.ts';

/** How many tags are counted. */
const TAGS = 50;

/** Counts conversations for the side bar; each number ends at MAX_COUNT, so that none takes long. */
export class InboxCounts {
  readonly #conversations: ConversationModel;
  readonly #widgets: WidgetModel;
  readonly #tagNames: TagNames;

  constructor(conversations: ConversationModel, widgets: WidgetModel, tagNames: TagNames) {
    this.#conversations = conversations;
    this.#widgets = widgets;
    this.#tagNames = tagNames;
  }

  /** The numbers that a member sees. */
  async of(view: View, member: string): Promise<ConversationCounts> {
    const count = (wanted: Wanted) => this.#count(view, { status: 'open', ...wanted });
    const [widgets, tags] = await Promise.all([this.#widgetsOf(view), this.#tagNames.of(view.account)]);
    const counted = async (names: readonly string[], wanted: (name: string) => Wanted) => {
      const counts = await Promise.all(names.map((name) => count(wanted(name))));
      return Object.fromEntries(names.map((name, at) => [name, counts[at] ?? 0]));
    };
    const [open, mine, unassigned, waiting, unread, snoozed, byWidget, byTag] = await Promise.all([
      count({}),
      count({ assignee: member }),
      count({ assignee: null }),
      count({ waiting_on: 'us' }),
      count({ unread: { member, is: true } }),
      count({ status: 'snoozed' }),
      counted(widgets, (widget) => ({ widget })),
      counted(tags.slice(0, TAGS), (tag) => ({ tag })),
    ]);
    return { open, mine, unassigned, waiting, unread, snoozed, widgets: byWidget, tags: byTag };
  }

  async #count(view: View, wanted: Wanted): Promise<number> {
    const filter = filterOf(view, wanted);
    if (!filter) return 0;
    const range = wanted.waiting_on === 'us' ? { rank: { $gt: WAITING_RANK } } : {};
    const options = { limit: MAX_COUNT, hint: indexFor(view, wanted, 'rank') };
    return this.#conversations.collection.countDocuments({ ...filter, ...range } as never, options);
  }

  async #widgetsOf({ account, widgets }: View): Promise<readonly string[]> {
    if (widgets) return widgets;
    const found = await this.#widgets.find({ account }, { _id: 1 }).lean();
    return found.map(({ _id }) => _id);
  }
}
