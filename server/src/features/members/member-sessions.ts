import { MemberSession as ApiSession } from '@parlor/shared';
import type { Model } from 'mongoose';
import { present } from '../../database/document.ts';
import { findBy } from '../../database/find-by.ts';
import { latestDue } from '../../database/has-come.ts';
import { defineModel } from '../../database/model.ts';
import type { Action } from '../../events/audit.ts';
import { AuditedCollection, type Outbox } from '../../events/audited-collection.ts';
import { type BrowserHeaders, deviceOf } from '../../http/device.ts';
import { newUuid } from '../../platform/ids.ts';
import { newSecret, secretHash } from '../../platform/random-secret.ts';
import type { Account } from '../accounts/accounts.model.ts';
import type { ActiveMember } from './member.ts';
import type { MemberStore } from './member-store.ts';
import { codeRequired } from './second-factor.ts';

const DAY_MS = 86_400_000;

/** The idle time-out of a session, and its longest lifetime. */
const IDLE_MS = 14 * DAY_MS;
const LONGEST_MS = 90 * DAY_MS;

/** That it was used is written down no more often than this. */
const SEEN_EVERY_MS = 60_000;

/** Milliseconds from its beginning in which a session stands for somebody who has just shown who it is. */
const FRESH_MS = 600_000;

/** Beyond them the one that was used longest ago ends. */
const MAX_SESSIONS = 50;

/** A browser that a member is signed in with. */
export interface StoredMemberSession {
  /** SHA-256 of what its cookie holds. */
  _id: string;
  uuid: string;
  account: string;
  member: string;
  /** That of its member when it signed in; absent for 0. */
  epoch?: number;
  device: string;
  time_zone: string;
  created_at: Date;
  seen_at: Date;
  expires_at: Date;
}

type Epoch = Pick<ActiveMember, 'session_epoch' | 'kept_session'>;

/** Whether a session goes on under the present password of its member. */
export const isOfEpoch = (
  { uuid, epoch = 0 }: Pick<StoredMemberSession, 'uuid' | 'epoch'>,
  { session_epoch = 0, kept_session }: Epoch,
): boolean => epoch === session_epoch || uuid === kept_session;

/** The same in a query. */
const ofEpoch = ({ session_epoch, kept_session }: Epoch) => ({
  $or: [{ epoch: session_epoch ?? null }, ...(kept_session === undefined ? [] : [{ uuid: kept_session }])],
});

export type MemberSessionModel = Model<StoredMemberSession>;

export const memberSessionModel = defineModel<StoredMemberSession>(
  'MemberSession',
  {
    _id: String,
    uuid: String,
    account: String,
    member: String,
    epoch: Number,
    device: String,
    time_zone: String,
    created_at: Date,
    seen_at: Date,
    expires_at: Date,
  },
  [[{ member: 1, seen_at: -1 }], [{ account: 1 }], [{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
);

/** Told which sessions of an account's members do nothing any more, before that is answered. */
type EndListener = (account: string, uuids: readonly string[]) => Promise<void>;

/** Who signs in from where. */
interface SignedIn {
  member: ActiveMember;
  browser: BrowserHeaders;
  time_zone: string;
}

/** The sessions of members in browsers (docs/contract.md#sessions). */
export class MemberSessions {
  readonly #sessions: MemberSessionModel;
  readonly #audited: AuditedCollection<StoredMemberSession>;
  readonly #store: MemberStore;
  readonly #byId: (id: string) => Promise<StoredMemberSession | undefined>;
  readonly #endListeners: EndListener[] = [];

  constructor(sessions: MemberSessionModel, outbox: Outbox, store: MemberStore) {
    this.#sessions = sessions;
    this.#audited = new AuditedCollection(sessions, outbox, {
      kind: 'session',
      uuid: ({ uuid }) => uuid,
      label: ({ device }) => device,
      fields: {},
    });
    this.#store = store;
    this.#byId = findBy(sessions, '_id', {});
  }

  /** Calls `listener` when sessions have ended before their time. */
  onEnd(listener: EndListener): void {
    this.#endListeners.push(listener);
  }

  /**
   * @returns what the cookie is to hold: 256 random bits, of which only a hash is kept
   * @throws ParlorError `invalid` where the member's second factor was turned on since it signed in without one
   */
  async begin({ member, browser, time_zone }: SignedIn): Promise<string> {
    const secret = newSecret();
    const _id = secretHash(secret);
    const now = new Date();
    await this.#sessions.insertOne({
      _id,
      uuid: newUuid(),
      account: member.account,
      member: member._id,
      ...(member.session_epoch && { epoch: member.session_epoch }),
      device: deviceOf(browser),
      time_zone,
      created_at: now,
      seen_at: now,
      expires_at: new Date(now.getTime() + IDLE_MS),
    } as never);
    const current = await this.#store.active(member.account, member._id);
    // Whoever was removed meanwhile had its sessions ended before this one was written.
    if (!current) await this.endAll(member);
    else if (member.totp_sealed === undefined && current.member.totp_sealed !== undefined) {
      await this.#sessions.deleteOne({ _id });
      throw codeRequired();
    }
    const surplus = await this.#beyond(member, MAX_SESSIONS);
    await this.#sessions.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } });
    await this.#tell(member.account, surplus);
    return secret;
  }

  /** The session and member that a cookie stands for, read from the database each time. */
  async bySecret(
    secret: string,
  ): Promise<{ session: StoredMemberSession; member: ActiveMember; account: Account } | undefined> {
    if (!/^[\w-]{43}$/.test(secret)) return undefined;
    const session = await this.#byId(secretHash(secret));
    const now = Date.now();
    if (!session || session.expires_at.getTime() <= now) return undefined;
    const found = await this.#store.active(session.account, session.member);
    if (!found || !isOfEpoch(session, found.member)) return undefined;
    if (now - session.seen_at.getTime() > SEEN_EVERY_MS) await this.#seen(session, now);
    return { session, ...found };
  }

  async #seen({ _id, created_at }: StoredMemberSession, now: number): Promise<void> {
    const expires_at = new Date(Math.min(now + IDLE_MS, created_at.getTime() + LONGEST_MS));
    await this.#sessions.updateOne({ _id }, { $set: { seen_at: new Date(now), expires_at } });
  }

  /** The member's sessions, the one that was used last first. */
  list(member: ActiveMember): Promise<StoredMemberSession[]> {
    return this.#sessions
      .find({ member: member._id, expires_at: { $gt: new Date() }, ...ofEpoch(member) })
      .sort({ seen_at: -1 })
      .limit(MAX_SESSIONS)
      .lean();
  }

  /** Whether a session of the member began within the last 10 minutes. */
  async isFresh(member: ActiveMember, uuid: string | undefined): Promise<boolean> {
    if (uuid === undefined) return false;
    // By a clock that was ahead it began later than now, and would be fresh until then.
    const began = { $gt: new Date(Date.now() - FRESH_MS), $lte: latestDue(0) };
    const fresh = { member: member._id, uuid, created_at: began, ...ofEpoch(member) };
    return (await this.#sessions.exists(fresh as never)) !== null;
  }

  /** All but the `count` that were used last. */
  #beyond(member: ActiveMember, count: number): Promise<Pick<StoredMemberSession, '_id' | 'uuid'>[]> {
    return this.#sessions
      .find({ member: member._id }, { _id: 1, uuid: 1 })
      .sort({ seen_at: -1 })
      .skip(count)
      .lean();
  }

  /** Those of these that have not ended, by their uuids; of each `isOfEpoch` is to be asked, too. */
  async alive(
    sessions: readonly Pick<StoredMemberSession, 'member' | 'uuid'>[],
  ): Promise<Map<string, Pick<StoredMemberSession, 'uuid' | 'epoch'>>> {
    const found = await this.#sessions
      .find(
        {
          member: { $in: [...new Set(sessions.map(({ member }) => member))] },
          uuid: { $in: sessions.map(({ uuid }) => uuid) },
          expires_at: { $gt: new Date() },
        },
        { uuid: 1, epoch: 1 },
      )
      .lean();
    return new Map(found.map((session) => [session.uuid, session]));
  }

  /** @throws ParlorError `not_found`, also for another member's session */
  async end(member: ActiveMember, uuid: string, action?: Action): Promise<void> {
    await this.#audited.delete({ member: member._id, uuid }, action);
    await this.#tell(member.account, [{ uuid }]);
  }

  /** @param but the session that goes on */
  async endAll({ _id, account }: Pick<ActiveMember, '_id' | 'account'>, but?: string): Promise<void> {
    const filter = { member: _id, ...(but !== undefined && { uuid: { $ne: but } }) };
    const ending = await this.#sessions.find(filter, { uuid: 1 }).lean();
    await this.#sessions.deleteMany(filter);
    await this.#tell(account, ending);
  }

  /** Tells of the sessions that do nothing before their members have set up the second factor that the account asks for. */
  async suspendIncomplete(account: string): Promise<void> {
    const lacking = (await this.#store.standings([account])).filter((one) => one.lacksSecondFactor);
    if (lacking.length === 0) return;
    const filter = { member: { $in: lacking.map(({ _id }) => _id) } };
    await this.#tell(account, await this.#sessions.find(filter, { uuid: 1 }).lean());
  }

  async #tell(account: string, sessions: readonly Pick<StoredMemberSession, 'uuid'>[]): Promise<void> {
    if (sessions.length === 0) return;
    const uuids = sessions.map(({ uuid }) => uuid);
    for (const listener of this.#endListeners) await listener(account, uuids);
  }
}

/** The API's form of a session. @param current the uuid of the one that asks */
export const presentSession = (session: StoredMemberSession, current: string | undefined): ApiSession =>
  present(ApiSession, { ...session, _id: session.uuid }, { is_current: session.uuid === current });
