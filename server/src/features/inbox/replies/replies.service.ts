import { codePoints, MAX_SHORTCUT, type NewReply, Reply, tooLong } from '@parlor/shared';
import { present } from '../../../database/document.ts';
import { duplicateFields } from '../../../database/duplicate.ts';
import { foldAnew } from '../../../database/fold-anew.ts';
import { type Page, readPages } from '../../../database/pages.ts';
import type { Action } from '../../../events/audit.ts';
import { AuditedCollection, type Outbox } from '../../../events/audited-collection.ts';
import { differences } from '../../../events/change.ts';
import { invalid, missingObject, notFound } from '../../../platform/errors.ts';
import { fold } from '../../../platform/folding.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Quotas } from '../../accounts/quotas.ts';
import { activeOf, type Member } from '../../members/member.ts';
import type { MemberStore } from '../../members/member-store.ts';
import type { ReplyModel, StoredReply } from './reply.model.ts';

/** How many of the longest replies a response holds: more are not read at once. */
const REPLIES_STEP = 52;

/** A caller's condition on a reply as it stands; it throws when the condition does not hold. */
type Check = ((current: Reply) => void) | undefined;

interface Parts {
  replies: ReplyModel;
  outbox: Outbox;
  members: Pick<MemberStore, 'of'>;
  quotas: Pick<Quotas, 'within'>;
}

/** Saved replies of an account (docs/contract.md#saved-replies). */
export class RepliesService {
  readonly #replies: ReplyModel;
  readonly #audited: AuditedCollection<StoredReply>;
  readonly #members: Pick<MemberStore, 'of'>;
  readonly #quotas: Pick<Quotas, 'within'>;

  constructor({ replies, outbox, members, quotas }: Parts) {
    this.#replies = replies;
    this.#audited = new AuditedCollection(replies, outbox, {
      kind: 'reply',
      label: ({ name }) => name,
      fields: {
        name: 'name',
        shortcut: 'shortcut',
        body: 'body',
        tags: 'tags',
        assignee: 'assignee',
        status: 'status',
      },
      shown: ['name', 'shortcut', 'assignee', 'status'],
    });
    this.#members = members;
    this.#quotas = quotas;
  }

  /**
   * @param whoNow as `Quotas.within` takes it
   * @throws ParlorError `invalid` for a shortcut that is taken, an unknown assignee, and beyond the quota
   */
  async create(
    account: string,
    input: NewReply,
    whoNow: () => Promise<unknown>,
    uuid?: string,
    action?: Action,
  ): Promise<StoredReply> {
    const folded = foldedOf(input.shortcut);
    await this.#checkAssignee(account, input.assignee);
    const made: StoredReply = {
      _id: uuid ?? newUuid(),
      account,
      ...input,
      folded,
      created_at: new Date(),
      version: 1,
    };
    const insert = async () => {
      await foldAnew(this.#replies, account, 'shortcut');
      return this.#audited.insert(made, action).catch(notTwice);
    };
    const { stored } = await this.#quotas.within('replies', account, uuid, whoNow, insert);
    return this.#releasedIfGone(stored);
  }

  /** Newest first. */
  list(account: string, page: Page): AsyncGenerator<StoredReply[]> {
    return readPages(this.#replies, { account }, 'created_at', page, { most: REPLIES_STEP });
  }

  /** @throws ParlorError `not_found`, also for another account's */
  async get(account: string, uuid: string): Promise<StoredReply> {
    const found = await this.#replies.findOne({ _id: uuid, account }, { events: 0 }).lean<StoredReply>();
    if (!found) throw notFound();
    return found;
  }

  /** @throws ParlorError as `get` and `create` do, and what `check` throws */
  async change(
    account: string,
    uuid: string,
    wanted: Partial<NewReply>,
    check: Check,
    action?: Action,
  ): Promise<StoredReply> {
    const decide = async (current: StoredReply) => {
      check?.(presentReply(current));
      const { shortcut = current.shortcut } = wanted;
      // One that stays is looked at no more: another one may be alike by now.
      const folded = shortcut === current.shortcut ? undefined : foldedOf(shortcut);
      if (folded !== undefined) await foldAnew(this.#replies, account, 'shortcut');
      if (wanted.assignee !== current.assignee) await this.#checkAssignee(account, wanted.assignee);
      const { tags, ...rest } = { ...wanted, ...(folded !== undefined && { folded }) };
      const isSame = tags === undefined || JSON.stringify(tags) === JSON.stringify(current.tags);
      const set = differences<StoredReply>(current, isSame ? rest : { ...rest, tags });
      return set && { set };
    };
    const changed = await this.#audited
      .change<StoredReply>({ _id: uuid, account }, decide, action)
      .catch(notTwice);
    return wanted.assignee ? this.#releasedIfGone(changed) : changed;
  }

  /** @throws ParlorError `not_found`, and what `check` throws */
  async delete(account: string, uuid: string, check: Check, action?: Action): Promise<void> {
    await this.#audited.delete({ _id: uuid, account }, action, (current) => check?.(presentReply(current)));
  }

  /** A member has been removed: replies assign nobody to it any more. */
  async release({ _id: assignee, account }: Pick<Member, '_id' | 'account'>): Promise<void> {
    const nobody = { $set: { assignee: null }, $inc: { version: 1 } } as const;
    await this.#replies.updateMany({ account, assignee }, nobody);
  }

  /** Whoever was removed while it was given a reply has been released before that. */
  async #releasedIfGone(reply: StoredReply): Promise<StoredReply> {
    const { _id: uuid, account, assignee } = reply;
    if (assignee === null) return reply;
    if ((await this.#members.of(account)).some(({ _id }) => _id === assignee)) return reply;
    await this.release({ _id: assignee, account });
    return this.get(account, uuid);
  }

  async #checkAssignee(account: string, assignee: string | null | undefined): Promise<void> {
    if (!assignee) return;
    const found = (await this.#members.of(account)).find(({ _id }) => _id === assignee);
    if (!activeOf(found)) throw invalid({ assignee: [missingObject(assignee)] });
  }
}

/** @throws ParlorError `invalid` where it becomes longer than the index takes: U+FDFA becomes 18 letters */
const foldedOf = (shortcut: string): string => {
  const folded = fold(shortcut);
  if (codePoints(folded) > MAX_SHORTCUT) throw invalid({ shortcut: [tooLong(MAX_SHORTCUT)] });
  return folded;
};

const notTwice = (error: unknown): never => {
  if (!duplicateFields(error)?.includes('folded')) throw error;
  throw invalid({ shortcut: ['This field must be unique.'] });
};

/** The API's form of a saved reply. */
export const presentReply = (reply: StoredReply): Reply => present(Reply, reply);
