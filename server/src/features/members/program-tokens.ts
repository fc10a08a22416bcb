import { ProgramToken as ApiToken, type NewProgramToken, type Scope } from '@parlor/shared';
import type { Model } from 'mongoose';
import { present } from '../../database/document.ts';
import { findBySecret } from '../../database/find-by-secret.ts';
import { defineModel } from '../../database/model.ts';
import type { Action } from '../../events/audit.ts';
import { AuditedCollection, type Outbox } from '../../events/audited-collection.ts';
import { deleteDocuments } from '../../events/delete.ts';
import { type EventHolder, outboxFields, outboxIndex } from '../../events/events.ts';
import type { Tombstones } from '../../events/tombstones.ts';
import { forbidden, invalid, invalidTogether } from '../../platform/errors.ts';
import { newUuid, randomLetters } from '../../platform/ids.ts';
import { placeOf, type Secrets } from '../../platform/secrets.ts';
import type { Quotas } from '../accounts/quotas.ts';
import { type ActiveMember, mayTouch } from './member.ts';
import type { MemberStore } from './member-store.ts';

/** By what such a token is told from a member's. */
const PREFIX = 'pat_';
const LENGTH = 40;

/** How many an operator may make, so that others of its account can make some, too (docs/limits.md). */
export const MAX_OF_OPERATOR = 20;

/** That it was used is written down no more often than this. */
const USED_EVERY_MS = 5 * 60_000;

/** A token for a program: it acts with the rights of the member that made it, as far as its scopes go. */
export interface StoredProgramToken extends EventHolder {
  _id: string;
  account: string;
  member: string;
  name: string;
  scopes: Scope[];
  /** Sealed for a request that is repeated under its Idempotency-Key, and for a change of SECRET_KEY to make the fingerprint anew. */
  token_fingerprint: string;
  token_sealed: string;
  created_at: Date;
  expires_at?: Date;
  used_at?: Date;
}

export type ProgramTokenModel = Model<StoredProgramToken>;

export const programTokenModel = defineModel<StoredProgramToken>(
  'ProgramToken',
  {
    _id: String,
    account: String,
    member: String,
    name: String,
    scopes: [String],
    token_fingerprint: String,
    token_sealed: String,
    created_at: Date,
    expires_at: Date,
    used_at: Date,
    ...outboxFields,
  },
  [
    [{ token_fingerprint: 1 }, { unique: true }],
    [{ account: 1 }],
    [{ member: 1, created_at: -1 }],
    [{ expires_at: 1 }, { expireAfterSeconds: 0 }],
    outboxIndex,
  ],
);

/** Tokens for programs (docs/contract.md#program-tokens). */
export class ProgramTokens {
  readonly #tokens: ProgramTokenModel;
  readonly #audited: AuditedCollection<StoredProgramToken>;
  readonly #tombstones: Tombstones;
  readonly #store: MemberStore;
  readonly #quotas: Pick<Quotas, 'within'>;
  readonly #secrets: Secrets;
  readonly #bySecret: (token: string) => Promise<StoredProgramToken | undefined>;
  readonly #endListeners: ((token: Pick<StoredProgramToken, '_id' | 'account'>) => Promise<void>)[] = [];

  constructor(
    tokens: ProgramTokenModel,
    outbox: Outbox,
    store: MemberStore,
    quotas: Pick<Quotas, 'within'>,
    secrets: Secrets,
  ) {
    this.#tokens = tokens;
    this.#tombstones = outbox.tombstones;
    this.#audited = new AuditedCollection(tokens, outbox, {
      kind: 'token',
      label: ({ name }) => name,
      fields: { scopes: 'scopes', expires_at: 'expires_at' },
      shown: ['scopes', 'expires_at'],
    });
    this.#store = store;
    this.#quotas = quotas;
    this.#secrets = secrets;
    this.#bySecret = findBySecret(tokens, 'token_fingerprint', secrets);
  }

  /** Calls `listener` when a token is deleted, before that is answered. */
  onEnd(listener: (token: Pick<StoredProgramToken, '_id' | 'account'>) => Promise<void>): void {
    this.#endListeners.push(listener);
  }

  /**
   * @param whoNow says who makes it, as `Quotas.within` takes it
   * @param _id fixed for a request with an Idempotency-Key: a retry after a crash finds what was made
   * @throws ParlorError `invalid` for a time that has passed, or when the account or an operator has too many
   */
  async create(
    { _id: member, account }: ActiveMember,
    { name, scopes, expires_at }: NewProgramToken,
    whoNow: () => Promise<Pick<ActiveMember, 'role'>>,
    action?: Action,
    _id = newUuid(),
  ): Promise<StoredProgramToken> {
    const expires = expires_at === null ? undefined : new Date(expires_at);
    if (expires && expires <= new Date()) throw invalid({ expires_at: ['This moment has passed.'] });
    const token = `${PREFIX}${randomLetters(LENGTH)}`;
    const made: StoredProgramToken = {
      _id,
      account,
      member,
      name,
      scopes,
      token_fingerprint: this.#secrets.fingerprint('token-fingerprint', token),
      token_sealed: this.#secrets.encrypt(token, placeOf({ _id, account }, 'token_sealed')),
      created_at: new Date(),
      ...(expires && { expires_at: expires }),
    };
    const { stored } = await this.#quotas.within('tokens', account, _id, whoNow, async ({ role }) => {
      const others = { member, _id: { $ne: _id } };
      if (role === 'operator' && (await this.#tokens.countDocuments(others)) >= MAX_OF_OPERATOR) {
        throw invalidTogether(`An operator may have at most ${MAX_OF_OPERATOR} tokens.`);
      }
      return this.#audited.insert(made, action);
    });
    // Whoever was removed meanwhile had its tokens deleted before this one was written.
    if (!(await this.#store.active(account, member))) await this.deleteAllOf({ _id: member });
    return stored;
  }

  /** The token itself, of the member that made it; undefined where it has been deleted or has run out. */
  async secretOf({ _id: member }: ActiveMember, uuid: string): Promise<string | undefined> {
    const stored = await this.#tokens.findOne({ _id: uuid, member, ...unexpired() }).lean();
    return stored ? this.#secrets.decrypt(stored.token_sealed, placeOf(stored, 'token_sealed')) : undefined;
  }

  /** The member's own, newest first; at most as many as an account may have. */
  list({ _id }: ActiveMember): Promise<StoredProgramToken[]> {
    return this.#tokens
      .find({ member: _id, ...unexpired() })
      .sort({ created_at: -1 })
      .lean();
  }

  /** Those of all members, newest first. @throws ParlorError `forbidden` to operators */
  async listAll({ account, role }: ActiveMember): Promise<StoredProgramToken[]> {
    if (role === 'operator') throw forbidden();
    return this.#tokens
      .find({ account, ...unexpired() })
      .sort({ created_at: -1 })
      .lean();
  }

  /**
   * Owners and admins delete those of others, too.
   * @throws ParlorError `not_found`, to operators also for another member's; `forbidden` to admins for an owner's
   */
  async delete({ _id, account, role }: ActiveMember, uuid: string, action?: Action): Promise<void> {
    const own = role === 'operator' ? { member: _id } : { account };
    const deleted = await this.#audited.delete({ _id: uuid, ...own }, action, async ({ member }) => {
      const maker = member === _id ? undefined : await this.#store.active(account, member);
      if (maker) mayTouch({ role }, maker.member);
    });
    for (const listener of this.#endListeners) await listener(deleted);
  }

  /** A member has been removed. */
  async deleteAllOf({ _id }: { _id: string }): Promise<void> {
    await deleteDocuments(this.#tokens, { member: _id }, this.#tombstones);
  }

  /** Which of these are still good. */
  async alive(uuids: readonly string[]): Promise<Set<string>> {
    const found = await this.#tokens
      .find({ _id: { $in: uuids as string[] }, ...unexpired() }, { _id: 1 })
      .lean();
    return new Set(found.map(({ _id }) => _id));
  }

  /** The token and the member that a text stands for, read from the database each time. */
  async bySecret(text: string): Promise<{ token: StoredProgramToken; member: ActiveMember } | undefined> {
    if (!isProgramToken(text)) return undefined;
    const token = await this.#bySecret(text);
    const now = new Date();
    if (!token || (token.expires_at && token.expires_at <= now)) return undefined;
    const found = await this.#store.active(token.account, token.member);
    if (!found) return undefined;
    if (now.getTime() - (token.used_at?.getTime() ?? 0) > USED_EVERY_MS) {
      await this.#tokens.updateOne({ _id: token._id }, { $set: { used_at: now } });
    }
    return { token, member: found.member };
  }
}

const unexpired = () => ({ $or: [{ expires_at: { $exists: false } }, { expires_at: { $gt: new Date() } }] });

/** The form of a program's token. */
export const PROGRAM_TOKEN = /^pat_[A-Za-z0-9]{40}$/;

/** Whether a text has it. */
export const isProgramToken = (text: string): boolean => PROGRAM_TOKEN.test(text);

/** The API's form of a program's token. */
export const presentProgramToken = (token: StoredProgramToken): ApiToken =>
  present(ApiToken, token, { expires_at: token.expires_at ?? null, used_at: token.used_at ?? null });
