import { Draft, type NewDraft } from '@parlor/shared';
import { present } from '../../../database/document.ts';
import { insertOnce } from '../../../database/insert.ts';
import { inTurnOf } from '../../../events/change.ts';
import { notFound } from '../../../platform/errors.ts';
import { Tries } from '../../../platform/tries.ts';
import type { MemberStore } from '../../members/member-store.ts';
import { isInView, type View } from '../../members/view.ts';
import type { InboxService } from '../inbox.service.ts';
import type { DraftModel, StoredDraft } from './draft.model.ts';

/** A caller's condition on a draft as it stands; it throws when the condition does not hold. */
type Check = ((current: Draft) => void) | undefined;

/** Whose draft in which conversation. */
interface Place {
  member: string;
  room: string;
}

const NONE: Draft = { body: '', is_note: false, updated_at: null };

const keyOf = ({ room, member }: Pick<Place, 'room' | 'member'>): string => `${room} ${member}`;

/** Drafts: one of each member in each conversation (docs/contract.md#drafts). Each asks first whether that is in view. */
export class DraftsService {
  readonly #drafts: DraftModel;
  readonly #inbox: Pick<InboxService, 'get'>;
  readonly #members: Pick<MemberStore, 'of'>;

  constructor(drafts: DraftModel, inbox: Pick<InboxService, 'get'>, members: Pick<MemberStore, 'of'>) {
    this.#drafts = drafts;
    this.#inbox = inbox;
    this.#members = members;
  }

  /** @returns an empty one where there is none. @throws ParlorError `not_found` for a conversation out of view */
  async get(view: View, place: Place): Promise<Draft> {
    await this.#inbox.get(view, place.room);
    return presentDraft(await this.#find(place));
  }

  /**
   * Replaces the draft; an empty one is none. Of two at the same time the later one stays, unless `check` forbids it.
   * @param viewNow says what the member sees, also once its turn has come
   * @throws ParlorError `not_found`, and what `viewNow` and `check` throw
   */
  async put(viewNow: () => Promise<View>, place: Place, wanted: NewDraft, check: Check): Promise<Draft> {
    const conversation = await this.#inbox.get(await viewNow(), place.room);
    const { account } = conversation;
    const draft = await inTurnOf(`drafts ${keyOf(place)}`, async () => {
      if (!isInView(await viewNow(), conversation)) throw notFound();
      return this.#put({ ...place, account }, wanted, check);
    });
    // Whoever was removed meanwhile had its drafts deleted before this one was written.
    const members = draft.body === '' ? [] : await this.#members.of(account);
    if (draft.body !== '' && !members.some(({ _id }) => _id === place.member)) {
      await this.deleteAllOf({ _id: place.member });
    }
    return draft;
  }

  /** A member has been removed. */
  async deleteAllOf({ _id: member }: { _id: string }): Promise<void> {
    await this.#drafts.deleteMany({ member });
  }

  async #put(place: Place & { account: string }, { body, is_note }: NewDraft, check: Check): Promise<Draft> {
    for (const tries = new Tries('a change of a draft'); ; ) {
      tries.next();
      const current = await this.#find(place);
      check?.(presentDraft(current));
      if (body === '') {
        if (!current || (await this.#remove(current))) return NONE;
        continue;
      }
      const { room, member, account } = place;
      const set = { body, is_note, updated_at: new Date() };
      if (!current) {
        const made = { _id: keyOf(place), account, room, member, ...set, version: 1 };
        const { isNew } = await insertOnce(this.#drafts, made);
        if (isNew) return presentDraft(made);
        continue;
      }
      const { matchedCount } = await this.#drafts.updateOne(sameAs(current), {
        $set: set,
        $inc: { version: 1 },
      });
      if (matchedCount === 1) return presentDraft({ ...current, ...set });
    }
  }

  async #find(place: Place): Promise<StoredDraft | undefined> {
    return (await this.#drafts.findOne({ _id: keyOf(place) }).lean<StoredDraft>()) ?? undefined;
  }

  async #remove(current: StoredDraft): Promise<boolean> {
    return (await this.#drafts.deleteOne(sameAs(current))).deletedCount === 1;
  }
}

/** By its time, too: one that was made anew counts from the beginning. */
const sameAs = ({ _id, version, updated_at }: StoredDraft) => ({ _id, version, updated_at });

const presentDraft = (draft: StoredDraft | undefined): Draft => (draft ? present(Draft, draft) : NONE);
