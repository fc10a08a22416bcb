import type { BulkChange, BulkResult, ConversationPatch, MemberReference } from '@parlor/shared';
import type { Page } from '../../database/pages.ts';
import { databaseAway } from '../../database/unavailable.ts';
import { changeDocument } from '../../events/change.ts';
import type { Relay } from '../../events/relay.ts';
import { ignoreMissing, invalid, missingObject, notFound, ParlorError } from '../../platform/errors.ts';
import { FairTurns } from '../../platform/fair-turns.ts';
import { activeOf } from '../members/member.ts';
import type { MemberStore } from '../members/member-store.ts';
import { isInView, type View } from '../members/view.ts';
import type { RoomModel } from '../rooms/rooms.model.ts';
import type { ConversationModel, StoredConversation } from './conversation.model.ts';
import type { ConversationDetails, WrittenConversation } from './details.ts';
import type { ConversationFollower } from './follow.ts';
import { type Order, readConversations, type Wanted } from './lists.ts';
import type { Releases } from './releases.ts';
import { type Settings, settingsOf } from './settings.ts';
import { changeOf, markedEvent } from './state.ts';
import type { TagNames } from './tag-names.ts';
import { sees } from './who-sees.ts';

/** How many conversations of a bulk change are changed at once. */
const BULK_AT_ONCE = 10;

/** Bulk changes; accounts take turns. */
const BULK_TURNS = { running: 4, runningOfOne: 1, waitingOfOne: 20 };

/** A caller's condition on a conversation as it is shown; it throws when the condition does not hold. */
type Check = ((current: object) => void) | undefined;

/** Who changes something, as seen from here. */
export interface Changer {
  view: View;
  /** Whose `is_unread` it is. */
  member: string;
  /** Whom the change is said to be by; undefined: a program. */
  author: MemberReference | undefined;
}

/** Says who changes many, some at a time: `again` looks at once, `now` where that was long ago. */
interface BulkChanger {
  again(): Promise<Changer>;
  now(): Promise<Changer>;
}

interface Parts {
  conversations: ConversationModel;
  rooms: RoomModel;
  details: ConversationDetails;
  follower: ConversationFollower;
  members: Pick<MemberStore, 'of'>;
  releases: Releases;
  tagNames: TagNames;
  relay: Pick<Relay, 'announce'>;
}

/** Conversations as members work on them (docs/contract.md#conversation). */
export class InboxService {
  readonly #parts: Parts;
  readonly #bulkTurns = new FairTurns(BULK_TURNS, databaseAway);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** In the order that is asked for. */
  list(view: View, wanted: Wanted, order: Order, page: Page): AsyncGenerator<StoredConversation[]> {
    return readConversations(this.#parts.conversations, view, wanted, order, page);
  }

  /** @throws ParlorError `not_found`, also for one out of view, and for one whose room has gone before its words have */
  async get(view: View, uuid: string): Promise<StoredConversation> {
    const [found, room] = await Promise.all([
      this.#find(view, uuid),
      this.#parts.rooms.exists({ _id: uuid }),
    ]);
    if (!room) throw notFound();
    return found;
  }

  /** A conversation as a member sees it. @throws ParlorError `not_found` as `get` does */
  async show(view: View, uuid: string, member: string): Promise<WrittenConversation> {
    return this.presentOne(await this.#find(view, uuid), member);
  }

  /** Its room may have gone. @throws ParlorError `not_found`, also for one out of view */
  async #find(view: View, uuid: string): Promise<StoredConversation> {
    const { conversations, follower } = this.#parts;
    const find = () =>
      conversations.findOne({ _id: uuid, account: view.account }, { events: 0 }).lean<StoredConversation>();
    const found = (await find()) ?? ((await follower.beginOf(view.account, uuid)) ? await find() : null);
    if (!found || !isInView(view, found)) throw notFound();
    return found;
  }

  /** `ConversationDetails.present` */
  present(
    conversations: readonly StoredConversation[],
    member: string,
  ): Promise<(WrittenConversation | undefined)[]> {
    return this.#parts.details.present(conversations, member);
  }

  /** @throws ParlorError `not_found` where its room has gone */
  async presentOne(conversation: StoredConversation, member: string): Promise<WrittenConversation> {
    const [shown] = await this.present([conversation], member);
    if (!shown) throw notFound();
    return shown;
  }

  /**
   * Changes a conversation; all that was said before is taken into account first.
   * @param changer says who does it, also once its turn has come
   * @param check a precondition on the conversation as it is shown
   * @throws ParlorError `not_found`, `invalid`, and what `changer` and `check` throw
   */
  async change(
    changer: () => Promise<Changer>,
    uuid: string,
    wanted: Partial<ConversationPatch>,
    check?: Check,
  ): Promise<StoredConversation> {
    const { view, member } = await changer();
    const { account } = view;
    const assignee = await this.#assigneeFor(account, wanted);
    const changed = await this.#change(account, changer, uuid, { ...wanted, assignee }, check);
    await this.releaseGone(account, [assignee?._id, wanted.is_unread ? member : undefined]);
    await this.#parts.tagNames.remember(account, wanted.tags ?? []);
    return changed;
  }

  /**
   * Changes many conversations, each for itself.
   * @param changer says who does it, `again` before some and `now` where one waits for its turn; where it throws, the rest stays
   *   as it is
   * @param check a precondition on each of them, as it is shown
   * @param gone nobody waits for it any more: it is not begun then
   * @throws ParlorError `invalid` when it can be done to none, `throttled` when too many of the account wait; the reason
   * of `gone`
   */
  changeAll(
    account: string,
    changer: BulkChanger,
    change: BulkChange,
    check?: Check,
    gone?: AbortSignal,
  ): Promise<BulkResult> {
    return this.#bulkTurns.run(account, () => this.#changeAll(account, changer, change, check), gone);
  }

  async #changeAll(
    account: string,
    changer: BulkChanger,
    { uuids, ...wanted }: BulkChange,
    check: Check,
  ): Promise<BulkResult> {
    const result: BulkResult = { changed: [], missing: [], refused: [], outdated: [] };
    const settings = { ...wanted, assignee: await this.#assigneeFor(account, wanted) };
    let reader: string | undefined;
    try {
      for (let from = 0; from < uuids.length; from += BULK_AT_ONCE) {
        const { member } = await changer.again();
        if (wanted.is_unread) reader = member;
        const some = uuids.slice(from, from + BULK_AT_ONCE);
        const outcome = (uuid: string) => this.#outcome(account, changer.now, uuid, settings, check);
        const ends = await Promise.allSettled(some.map(outcome));
        for (const [at, end] of ends.entries()) {
          if (end.status === 'fulfilled') result[end.value].push(some[at] as string);
        }
        // Only now: what follows is for all that were changed.
        const failed = ends.find((end) => end.status === 'rejected');
        if (failed) throw failed.reason;
      }
    } finally {
      await this.releaseGone(account, [settings.assignee?._id, reader]);
      if (result.changed.length > 0) {
        await this.#parts.tagNames.remember(account, wanted.add_tags ?? []);
      }
    }
    return result;
  }

  async #change(
    account: string,
    changer: () => Promise<Changer>,
    uuid: string,
    wanted: Settings,
    check?: Check,
  ): Promise<StoredConversation> {
    const { conversations, follower, relay } = this.#parts;
    const { assignee } = wanted;
    const filter = { _id: uuid, account };
    const decide = async (current: StoredConversation, { view, member, author }: Changer) => {
      if (!isInView(view, current)) throw notFound();
      const said = await follower.upToDate(current);
      const latest = Object.assign({}, current, said, changeOf(current, said)?.set);
      if (check) check(lasting(await this.presentOne(latest, member)));
      if (assignee && !sees(assignee, current)) {
        throw invalid({
          assignee: [`${assignee.name || assignee.username} does not see this conversation.`],
        });
      }
      const set = settingsOf(latest, wanted, member);
      const change = changeOf(current, { ...said, ...set }, author ?? null);
      change?.events.push(...markedEvent(latest, set, member));
      return change;
    };
    const changed = await changeDocument(conversations, filter, decide, changer).catch(async (error) => {
      ignoreMissing(error);
      if (!(await follower.beginOf(account, uuid))) throw error;
      return changeDocument(conversations, filter, decide, changer);
    });
    relay.announce(conversations, changed);
    return changed;
  }

  /** Whoever of these was removed while it was given something, or something to read, has been released before that. */
  async releaseGone(account: string, given: readonly (string | undefined)[]): Promise<void> {
    if (given.every((one) => one === undefined)) return;
    const members = new Set((await this.#parts.members.of(account)).map(({ _id }) => _id));
    for (const _id of given) {
      if (_id !== undefined && !members.has(_id)) await this.#parts.releases.release({ _id, account });
    }
  }

  async #outcome(
    account: string,
    changer: () => Promise<Changer>,
    uuid: string,
    wanted: Settings,
    check: Check,
  ): Promise<keyof BulkResult> {
    try {
      await this.#change(account, changer, uuid, wanted, check);
      return 'changed';
    } catch (error) {
      if (!(error instanceof ParlorError)) throw error;
      if (error.code === 'not_found') return 'missing';
      if (error.code === 'invalid') return 'refused';
      if (error.code === 'precondition_failed') return 'outdated';
      throw error;
    }
  }

  /** The member that is to take care. @throws ParlorError `invalid` when there is none that can */
  async #assigneeFor(
    account: string,
    { assignee }: Partial<ConversationPatch>,
  ): Promise<Settings['assignee']> {
    if (!assignee) return assignee === null ? null : undefined;
    const found = (await this.#parts.members.of(account)).find(({ _id }) => _id === assignee);
    if (!found || !activeOf(found)) throw invalid({ assignee: [missingObject(assignee)] });
    if (found.is_away) throw invalid({ assignee: [`${found.name || found.username} is away.`] });
    return found;
  }
}

/** What of a conversation its ETag names: neither who is there at this moment, nor who has read it. */
export const lasting = ({
  is_unread,
  visitor: { is_online, ...visitor },
  ...conversation
}: WrittenConversation) => ({
  ...conversation,
  visitor,
});
