import type { Author, BulkChange, BulkResult, Conversation, ConversationPatch } from '@parlor/shared';
import { MAX_TAGS } from '@parlor/shared';
import type { Page } from '../../database/pages.ts';
import { changeDocument } from '../../events/change.ts';
import type { Relay } from '../../events/relay.ts';
import { type FieldErrors, invalid, missingObject, notFound, ParlorError } from '../../platform/errors.ts';
import { activeOf, type Member, restrictionOf } from '../members/member.ts';
import type { MemberStore } from '../members/member-store.ts';
import { isInView, type View } from '../members/view.ts';
import type { ConversationModel, StoredConversation } from './conversation.model.ts';
import type { ConversationDetails } from './details.ts';
import type { ConversationFollower } from './follow.ts';
import { type Order, readConversations, type Wanted } from './lists.ts';
import { changeOf } from './state.ts';
import type { TagNames } from './tag-names.ts';

/** How far ahead a conversation may be snoozed. */
const MAX_SNOOZE_MS = 366 * 86_400_000;

/** How many conversations of a bulk change are changed at once. */
const BULK_AT_ONCE = 10;

/** Who changes something, as seen from here. */
export interface Changer {
  view: View;
  /** Whose `is_unread` it is. */
  member: string;
  /** Whom the change is said to be by; undefined: a program. */
  author: Author | undefined;
}

interface Parts {
  conversations: ConversationModel;
  details: ConversationDetails;
  follower: ConversationFollower;
  members: Pick<MemberStore, 'of'>;
  tagNames: TagNames;
  relay: Pick<Relay, 'announce'>;
}

/** What is wanted of one conversation; `add_tags` and `remove_tags` come with a bulk change. */
type Settings = Partial<ConversationPatch> & Pick<BulkChange, 'add_tags' | 'remove_tags'>;

/** Conversations as members work on them (docs/contract.md#conversation). */
export class InboxService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** In the order that is asked for. */
  list(view: View, wanted: Wanted, order: Order, page: Page): AsyncGenerator<StoredConversation[]> {
    return readConversations(this.#parts.conversations, view, wanted, order, page);
  }

  /** @throws ParlorError `not_found`, also for one out of view */
  async get(view: View, uuid: string): Promise<StoredConversation> {
    const found = await this.#parts.conversations
      .findOne({ _id: uuid, account: view.account }, { events: 0 })
      .lean<StoredConversation>();
    if (!found || !isInView(view, found)) throw notFound();
    return found;
  }

  present(conversations: readonly StoredConversation[], member: string): Promise<Conversation[]> {
    return this.#parts.details.present(conversations, member);
  }

  async presentOne(conversation: StoredConversation, member: string): Promise<Conversation> {
    const [shown] = await this.present([conversation], member);
    if (!shown) throw notFound();
    return shown;
  }

  /**
   * Changes a conversation; all that was said before is taken into account first.
   * @param check a precondition on the conversation as it is shown
   * @throws ParlorError `not_found`, `invalid`, and what `check` throws
   */
  async change(
    changer: Changer,
    uuid: string,
    wanted: Settings,
    check?: (current: object) => void,
  ): Promise<StoredConversation> {
    const { conversations, relay, tagNames } = this.#parts;
    const { view, member, author } = changer;
    const assignee = await this.#assigneeFor(view.account, wanted);
    const filter = { _id: uuid, account: view.account };
    const changed = await changeDocument<StoredConversation>(conversations, filter, async (current) => {
      if (!isInView(view, current)) throw notFound();
      if (check) check(lasting(await this.presentOne(current, member)));
      if (assignee && !isInView({ ...view, widgets: restrictionOf(assignee) }, current)) {
        throw invalid({
          assignee: [`${assignee.name || assignee.username} does not see this conversation.`],
        });
      }
      const said = await this.#parts.follower.upToDate(current);
      const latest = Object.assign({}, current, said);
      const set = settingsOf(latest, wanted, member);
      return changeOf(current, { ...said, ...set }, author ?? null);
    });
    relay.announce(conversations, changed);
    await tagNames.remember(view.account, wanted.tags ?? wanted.add_tags ?? []);
    return changed;
  }

  /** Changes many conversations, each for itself. @throws ParlorError `invalid` when it can be done to none */
  async changeAll(changer: Changer, { uuids, ...wanted }: BulkChange): Promise<BulkResult> {
    const result: BulkResult = { changed: [], missing: [], refused: [] };
    await this.#assigneeFor(changer.view.account, wanted);
    for (let from = 0; from < uuids.length; from += BULK_AT_ONCE) {
      const some = uuids.slice(from, from + BULK_AT_ONCE);
      const ends = await Promise.all(some.map((uuid) => this.#outcome(changer, uuid, wanted)));
      for (const [at, end] of ends.entries()) result[end].push(some[at] as string);
    }
    return result;
  }

  /** Nobody takes care any more of what a member did who is gone. */
  async release({ _id: assignee, account }: Pick<Member, '_id' | 'account'>): Promise<void> {
    const { conversations, relay } = this.#parts;
    for (;;) {
      const theirs = { account, assignee };
      const found = await conversations.find(theirs, { _id: 1 }).limit(BULK_AT_ONCE).lean();
      if (found.length === 0) return;
      for (const { _id } of found) {
        const changed = await changeDocument<StoredConversation>(conversations, { _id }, (current) => {
          const now = new Date();
          if (current.assignee !== assignee) return undefined;
          return changeOf(current, { assignee: null, assignee_at: now, updated_at: now });
        }).catch(ignoreMissing);
        if (changed) relay.announce(conversations, changed);
      }
    }
  }

  async #outcome(changer: Changer, uuid: string, wanted: Settings): Promise<keyof BulkResult> {
    try {
      await this.change(changer, uuid, wanted);
      return 'changed';
    } catch (error) {
      if (!(error instanceof ParlorError)) throw error;
      if (error.code === 'not_found') return 'missing';
      if (error.code === 'invalid') return 'refused';
      throw error;
    }
  }

  /** The member that is to take care. @throws ParlorError `invalid` when there is none that can */
  async #assigneeFor(account: string, { assignee }: Settings): Promise<Member | undefined> {
    if (!assignee) return undefined;
    const found = (await this.#parts.members.of(account)).find(({ _id }) => _id === assignee);
    if (!found || !activeOf(found)) throw invalid({ assignee: [missingObject(assignee)] });
    if (found.is_away) throw invalid({ assignee: [`${found.name || found.username} is away.`] });
    return found;
  }
}

const ignoreMissing = (error: unknown): undefined => {
  if (!(error instanceof ParlorError && error.code === 'not_found')) throw error;
};

/** What of a conversation its ETag names: neither who is there at this moment, nor who has read it. */
export const lasting = ({
  is_unread,
  visitor: { is_online, ...visitor },
  ...conversation
}: Conversation) => ({
  ...conversation,
  visitor,
});

/** What a change sets. @throws ParlorError `invalid` */
const settingsOf = (
  current: StoredConversation,
  wanted: Settings,
  member: string,
): Partial<StoredConversation> => {
  const now = new Date();
  const set: Partial<StoredConversation> = {
    ...statusOf(current, wanted, now),
    ...(wanted.assignee !== undefined && { assignee: wanted.assignee, assignee_at: now }),
    ...tagsOf(current, wanted),
  };
  if (Object.keys(set).length > 0) set.updated_at = now;
  if (wanted.is_unread !== undefined) {
    const others = current.unread.filter((one) => one !== member);
    set.unread = wanted.is_unread ? [...others, member] : others;
  }
  return set;
};

const statusOf = (
  current: StoredConversation,
  { status, snoozed_until: wanted }: Settings,
  now: Date,
): Partial<StoredConversation> => {
  if (status === undefined && wanted === undefined) return {};
  const until = wanted ? new Date(wanted) : null;
  const next = status ?? (until ? 'snoozed' : current.status === 'snoozed' ? 'open' : current.status);
  const errors: FieldErrors = {};
  if (until && next !== 'snoozed') errors.snoozed_until = ['Only what is snoozed has a time.'];
  else if (until && (until <= now || until.getTime() > now.getTime() + MAX_SNOOZE_MS)) {
    errors.snoozed_until = ['A time within the next 366 days is required.'];
  }
  const snoozed_until = next === 'snoozed' ? (until ?? current.snoozed_until) : null;
  if (next === 'snoozed' && !snoozed_until) errors.snoozed_until = ['This field is required.'];
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return { status: next, snoozed_until, status_at: now };
};

const tagsOf = (
  { tags: current }: StoredConversation,
  { tags, add_tags = [], remove_tags = [] }: Settings,
): Partial<StoredConversation> => {
  if (tags === undefined && add_tags.length === 0 && remove_tags.length === 0) return {};
  const kept = (tags ?? current).filter((tag) => !remove_tags.includes(tag));
  const next = [...new Set([...kept, ...add_tags])];
  if (next.length > MAX_TAGS) throw invalid({ tags: [`A conversation has at most ${MAX_TAGS} tags.`] });
  return { tags: next };
};
