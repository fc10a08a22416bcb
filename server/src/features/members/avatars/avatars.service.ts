import type { Action } from '../../../events/audit.ts';
import { isRefusal } from '../../../platform/errors.ts';
import { newSecret } from '../../../platform/random-secret.ts';
import { type ActiveMember, type Member, mayTouch, presentMember, settingsOf } from '../member.ts';
import type { MemberStore } from '../member-store.ts';
import type { MemberCheck } from '../members.service.ts';
import { AVATAR_KEY, type AvatarModel, type StoredAvatar } from './avatar.model.ts';
import type { CurrentAvatars } from './current-avatars.ts';
import { cleanImage, imageType } from './image.ts';

/** One that is no member's, and as old as that, was left behind by a process that died: no request takes as long. */
const LEFT_BEHIND_MS = 3_600_000;

/** Bytes as a Buffer, rather than in the driver's own type. */
const BYTES = { promoteBuffers: true } as const;

/**
 * The pictures of members (docs/contract.md#pictures-of-members). Each upload has a key of its own: the picture is stored, then
 * the member names it, in one write with the entry in the audit trail, and then the one before is deleted. What no member
 * names is shown to nobody.
 */
export class Avatars {
  readonly #avatars: AvatarModel;
  readonly #store: MemberStore;
  readonly #current: CurrentAvatars;

  constructor(avatars: AvatarModel, store: MemberStore, current: CurrentAvatars) {
    this.#avatars = avatars;
    this.#store = store;
    this.#current = current;
  }

  /** The bytes of a picture and what they are; undefined where no member has one of that key. */
  async get(key: string): Promise<{ bytes: Buffer; type: string } | undefined> {
    if (!AVATAR_KEY.test(key)) return undefined;
    const { collection } = this.#avatars;
    const found = (await collection.findOne({ _id: key as never }, BYTES)) as unknown as StoredAvatar | null;
    if (!found) return undefined;
    const { account, member, bytes } = found;
    const type = imageType(bytes);
    const isNamed = (await this.#current.of(account, [member])).get(member) === key;
    return type && isNamed ? { bytes, type } : undefined;
  }

  /** @throws ParlorError `invalid` for bytes that are no picture to be taken, and what `check` throws */
  async put(member: ActiveMember, upload: Buffer, check: MemberCheck, action: Action): Promise<Member> {
    const bytes = cleanImage(upload);
    const { account, _id } = member;
    const key = newSecret();
    await this.#avatars.insertOne({ _id: key, account, member: _id, bytes, made_at: new Date() });
    return this.#name(member, key, check, action).catch(async (error) => {
      if (isRefusal(error)) await this.#avatars.deleteOne({ _id: key });
      throw error;
    });
  }

  /** Takes a member's own picture away. @throws ParlorError what `check` throws */
  async remove(member: Pick<Member, 'account' | '_id'>, check: MemberCheck, action: Action): Promise<void> {
    await this.#name(member, undefined, check, action);
  }

  /** Takes another member's away. @throws ParlorError `not_found`, `forbidden`, and what `check` throws */
  async removeOf(remover: ActiveMember, uuid: string, check: MemberCheck, action: Action): Promise<void> {
    const { account } = remover;
    mayTouch(remover, await this.#store.get(account, uuid));
    await this.#name({ account, _id: uuid }, undefined, check, action);
  }

  /** A member has been removed. */
  async deleteAllOf({ _id: member }: Pick<Member, '_id'>): Promise<void> {
    await this.#avatars.deleteMany({ member });
  }

  async #name(
    { account, _id }: Pick<Member, 'account' | '_id'>,
    key: string | undefined,
    check: MemberCheck,
    action: Action,
  ): Promise<Member> {
    let before: string | undefined;
    const decide = (current: Member) => {
      check?.(settingsOf(presentMember(current)));
      before = current.avatar;
      return before === key ? undefined : { avatar: key };
    };
    const changed = await this.#store.change(account, _id, decide, action);
    const theirs = { member: _id, account };
    // Only that one: another upload may have stored its own by now.
    if (before !== undefined && before !== key) await this.#avatars.deleteOne({ _id: before, ...theirs });
    const made_at = { $lt: new Date(Date.now() - LEFT_BEHIND_MS) };
    await this.#avatars.deleteMany({ ...theirs, _id: { $ne: key ?? '' }, made_at });
    return changed;
  }
}
