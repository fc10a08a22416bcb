import { foldName } from '@parlor/shared';
import { findBy } from '../../database/find-by.ts';
import { findBySecret } from '../../database/find-by-secret.ts';
import { newestFirst } from '../../database/pages.ts';
import { type Action, deletionEvent } from '../../events/audit.ts';
import type { Outbox } from '../../events/audited-collection.ts';
import { inTurnOf } from '../../events/change.ts';
import { deleteDocument } from '../../events/delete.ts';
import type { OutboxEvent } from '../../events/events.ts';
import { ignoreMissing, notFound } from '../../platform/errors.ts';
import type { SealedPlace, Secrets } from '../../platform/secrets.ts';
import { placeOf } from '../../platform/secrets.ts';
import { Tries } from '../../platform/tries.ts';
import type { Account, AccountModel } from '../accounts/accounts.model.ts';
import { type MemberFields, TOKEN } from '../accounts/member-fields.ts';
import { readBothPlaces } from './both-places.ts';
import { type ActiveMember, activeOf, founderOf, type Member, type StoredMember } from './member.ts';
import { asAudited, type Changed, changeEvents } from './member-audit.ts';
import type { MemberModel } from './members.model.ts';

/** The collections that members stand in. */
export interface MemberModels {
  accounts: AccountModel;
  members: MemberModel;
}

/** Says what to set of a member as it stands; undefined leaves it. It changes that member in no other way. */
type Decide = (current: Member) => Changed | undefined | Promise<Changed | undefined>;

/** What the credential of an open socket rests on. */
export type Standing = Pick<
  ActiveMember,
  '_id' | 'token_fingerprint' | 'role' | 'widgets' | 'session_epoch' | 'kept_session'
> & {
  /** Its sessions do nothing before it has set one up. */
  lacksSecondFactor: boolean;
};

/** Where a sealed field of a member stands. */
export const memberPlace = (
  { _id, account, isFounder }: Member,
  field: SealedField = 'token_sealed',
): SealedPlace => placeOf(isFounder ? { _id: account } : { _id, account }, field);

/** The account's document as long as this is its founding member. Who founded it and has come back stands there by name. */
export const founderAt = ({ _id, account }: Pick<Member, '_id' | 'account'>): object => ({
  _id: account,
  founder: _id === account ? { $in: [null, account] } : _id,
});

/** The encrypted fields of a member, each bound to where it stands. */
export const SEALED_FIELDS = ['token_sealed', 'totp_sealed', 'totp_pending_sealed'] as const;
type SealedField = (typeof SEALED_FIELDS)[number];

/** Events are the documents' own, and move with no member. */
const asMember = ({ events, ...stored }: StoredMember): Member => ({ ...stored, isFounder: false });

/** The founding member, unless the account is being deleted: whatever its credentials are, they open nothing. */
const standingFounderOf = (account: Account): ActiveMember | undefined =>
  account.deleted_at ? undefined : founderOf(account);

/**
 * Members, one of whom stands in the account's own document: so accounts of before there were members have theirs, and
 * older processes beside this one find what they know.
 */
export class MemberStore {
  readonly #models: MemberModels;
  readonly #outbox: Outbox;
  readonly #byAccount: (id: string) => Promise<Account | undefined>;
  readonly #byUuid: (id: string) => Promise<StoredMember | undefined>;
  readonly #founderBySecret: (token: string) => Promise<Account | undefined>;
  readonly #memberBySecret: (token: string) => Promise<StoredMember | undefined>;

  constructor(models: MemberModels, outbox: Outbox, secrets: Secrets) {
    this.#models = models;
    this.#outbox = outbox;
    this.#byAccount = findBy(models.accounts, '_id', { events: 0 });
    this.#byUuid = findBy(models.members, '_id', { events: 0 });
    this.#founderBySecret = findBySecret(models.accounts, 'token_fingerprint', secrets);
    this.#memberBySecret = findBySecret(models.members, 'token_fingerprint', secrets);
  }

  /** Whose API token it is, read from the database each time: a reset holds at once everywhere. */
  async byToken(token: string): Promise<ActiveMember | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const account = await this.#founderBySecret(token);
    if (account) return standingFounderOf(account);
    const member = await this.#memberBySecret(token);
    if (!member) {
      // It may have taken the founder's place in between.
      const heirs = await this.#founderBySecret(token);
      return heirs && standingFounderOf(heirs);
    }
    const owner = await this.#byAccount(member.account);
    return owner && !owner.deleted_at ? activeOf(asMember(member)) : undefined;
  }

  /** Who has a username or e-mail address, by its folded form, and can sign in. */
  async byKey(
    key: Partial<Pick<MemberFields, 'username_key' | 'email_key'>>,
  ): Promise<ActiveMember | undefined> {
    // All in any case: how long it takes tells nothing of who has that name. The first again, as who takes the founder's
    // place in between is in neither.
    const before = await this.#models.accounts.findOne(key).lean<Account>();
    const member = await this.#models.members.findOne(key).lean<StoredMember>();
    const account = (await this.#models.accounts.findOne(key).lean<Account>()) ?? before;
    const others = await this.#byAccount(member?.account ?? '');
    const owner = account ?? others;
    if (!owner || owner.deleted_at) return undefined;
    return account ? founderOf(account) : activeOf(member ? asMember(member) : undefined);
  }

  /** A member who can sign in, and its account; undefined for one that has been removed, or whose account is being deleted. */
  async active(
    account: string,
    uuid: string,
  ): Promise<{ member: ActiveMember; account: Account } | undefined> {
    const byFounder = async () => {
      const owner = await this.#byAccount(account);
      const founder = owner && standingFounderOf(owner);
      return owner && founder && { member: founder, account: owner };
    };
    const founder = await byFounder();
    if (!founder || founder.member._id === uuid) return founder;
    const found = await this.#byUuid(uuid);
    if (found) {
      const member = activeOf(found.account === account ? asMember(found) : undefined);
      return member && { member, account: founder.account };
    }
    // It may have taken the founder's place in between.
    const again = await byFounder();
    return again?.member._id === uuid ? again : undefined;
  }

  /**
   * Everybody in these accounts who can sign in: what their tokens are found by, and what they may see. Nobody of one that is
   * being deleted.
   */
  async standings(accounts: readonly string[]): Promise<Standing[]> {
    const fields = { token_fingerprint: 1, totp_sealed: 1, session_epoch: 1, kept_session: 1 } as const;
    const among = { $in: accounts as string[] };
    const [owners, all] = await readBothPlaces(
      () =>
        this.#models.accounts
          .find({ _id: among, deleted_at: null }, { ...fields, founder: 1, requires_totp: 1, owner_turn: 1 })
          .lean(),
      () =>
        this.#models.members.find({ account: among }, { ...fields, account: 1, role: 1, widgets: 1 }).lean(),
    );
    const standing = new Set(owners.map(({ _id }) => _id));
    const others = all.filter(({ account }) => standing.has(account));
    const asking = new Set(owners.flatMap(({ _id, requires_totp }) => (requires_totp ? _id : [])));
    const founders = owners.map(
      ({ _id, founder = _id, requires_totp, owner_turn: _t, totp_sealed, ...member }) => ({
        ...member,
        _id: founder,
        role: 'owner' as const,
        lacksSecondFactor: asking.has(_id) && totp_sealed === undefined,
      }),
    );
    // A founder's stands last: while a member takes that place, it stands in both.
    return [
      ...others.map(({ account, totp_sealed, token_fingerprint = '', ...member }) => ({
        ...member,
        token_fingerprint,
        lacksSecondFactor: asking.has(account) && totp_sealed === undefined,
      })),
      ...founders,
    ];
  }

  /** The members of an account, newest first. */
  async of(account: string): Promise<Member[]> {
    const [[owner], others] = await readBothPlaces(
      () => this.#models.accounts.find({ _id: account }).lean<Account[]>(),
      () => this.#models.members.find({ account }).lean<StoredMember[]>(),
    );
    if (!owner) return [];
    const founder = founderOf(owner);
    // While a member takes the founder's place, it stands in both.
    const members = [founder, ...others.filter(({ _id }) => _id !== founder._id).map(asMember)];
    return members.sort(newestFirst);
  }

  /** Who has an address in an account, or was invited by it; several where a crash has left invitations. */
  async ofAddress(account: string, email: string): Promise<Member[]> {
    return (await this.of(account)).filter((one) => foldName(one.email) === foldName(email));
  }

  /** @throws ParlorError `not_found`, also for a member of another account */
  async get(account: string, uuid: string): Promise<Member> {
    const member = (await this.of(account)).find(({ _id }) => _id === uuid);
    if (!member) throw notFound();
    return member;
  }

  /**
   * Compare-and-set: `decide` sees the member as it stands, and again when another writer came between.
   * @param action what the audit trail says of it
   * @returns the member as it is now
   * @throws ParlorError `not_found`, whatever `decide` throws, and what `action` is refused with by the time that its turn comes
   */
  change(account: string, uuid: string, decide: Decide, action?: Action): Promise<Member> {
    return inTurnOf(`members ${uuid}`, () => this.#change(account, uuid, decide, action));
  }

  async #change(account: string, uuid: string, decide: Decide, action: Action | undefined): Promise<Member> {
    for (const tries = new Tries('a change of a member'); ; ) {
      tries.next();
      await action?.stillAllowed?.();
      const current = await this.get(account, uuid);
      const set = await decide(current);
      if (!set) return current;
      const { _id, isFounder, version } = current;
      const events = changeEvents(action, current, set);
      const gone = Object.entries(set).filter(([, value]) => value === undefined);
      const update = {
        $set: set,
        ...(gone.length > 0 && { $unset: Object.fromEntries(gone.map(([name]) => [name, 1])) }),
        $inc: { version: 1 },
        ...(events.length > 0 && { $push: { events: { $each: events } } }),
      } as never;
      // null stands for a document that was never changed.
      const unchanged = { version: version ?? null } as never;
      const { modifiedCount } = isFounder
        ? await this.#models.accounts.updateOne({ ...founderAt(current), ...(unchanged as object) }, update)
        : await this.#models.members.updateOne({ _id, account, ...(unchanged as object) }, update);
      if (modifiedCount === 1) {
        const changed = { ...current, ...(set as Partial<Member>), version: (version ?? 0) + 1 };
        this.announce(current, events);
        if (isFounder) await this.#discardCopy(changed);
        return changed;
      }
    }
  }

  /**
   * A crash may have left the founding member in both places: what is dead here must be dead there. A newer copy is of whoever
   * is handing its place over at this moment.
   */
  async #discardCopy({ _id, account, version }: Member & { version: number }): Promise<void> {
    const older = { _id, account, version: { $not: { $gt: version } } };
    await deleteDocument(this.#models.members, older, this.#outbox.tombstones).catch(ignoreMissing);
  }

  /** Removes a member that is not the founding one. */
  async remove({ _id, account }: Member, action?: Action): Promise<void> {
    const events = deletionBy(action);
    await deleteDocument(this.#models.members, { _id, account }, this.#outbox.tombstones, { events });
  }

  /** Takes an invitation back, unless it has just been accepted. */
  async withdraw({ _id, account }: Pick<Member, '_id' | 'account'>, action?: Action): Promise<void> {
    const open = { _id, account, username_key: { $exists: false } };
    const events = deletionBy(action && { ...action, name: 'withdrawInvitation' });
    await deleteDocument(this.#models.members, open, this.#outbox.tombstones, { events }).catch(
      ignoreMissing,
    );
  }

  /** Deletes an invitation that nobody was told of, with what it would announce. */
  async discard({ _id, account }: Pick<Member, '_id' | 'account'>): Promise<void> {
    await this.#models.members.deleteOne({ _id, account, username_key: { $exists: false } });
  }

  /** Announces what was written with a member. */
  announce(
    { _id, account, isFounder }: Pick<Member, '_id' | 'account' | 'isFounder'>,
    events: OutboxEvent[],
  ) {
    const { accounts, members } = this.#models;
    if (isFounder) this.#outbox.relay.announce(accounts, { _id: account, events } as Account);
    else this.#outbox.relay.announce(members, { _id, events } as StoredMember);
  }
}

/** The entry of a member's or an invitation's end. */
const deletionBy =
  (action: Action | undefined) =>
  (current: StoredMember): OutboxEvent[] =>
    action ? [deletionEvent(action, current.account, asAudited(current), current.created_at)] : [];
