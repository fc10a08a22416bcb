import { type Model, Schema } from 'mongoose';
import { defineModel } from '../database/model.ts';

/** A claim on an Idempotency-Key, and then the response that is replayed (docs/contract.md#idempotency-keys). */
export interface IdempotencyClaim {
  /** A keyed hash of who asks and the key: neither stands in the database. */
  _id: string;
  account: string;
  /** A hash of method, path and body: another request with the same key is refused. */
  request: string;
  /** The uuid of the object that the request makes. */
  object: string;
  /** By what the response's words are erased: the lead or conversation that it tells of, or else the object, as until there is one. */
  subject?: string;
  /** When that said it: what a room of the same uuid said before it was deleted is erased, and what it says since stays. */
  subject_at?: Date;
  /** Whose turn it is; a process that takes over puts its own. */
  owner: string;
  /** The claim of a killed process frees itself then. */
  leased_until: Date;
  /** What the request made has been deleted by itself: the response is kept no more. */
  is_gone?: true;
  answer?: { status: number; body: string; headers: Record<string, string> };
  expires_at: Date;
}

export type IdempotencyModel = Model<IdempotencyClaim>;

export const idempotencyModel = defineModel<IdempotencyClaim>(
  'IdempotencyClaim',
  {
    _id: String,
    account: String,
    request: String,
    object: String,
    subject: String,
    subject_at: Date,
    owner: String,
    leased_until: Date,
    is_gone: Boolean,
    answer: { type: Schema.Types.Mixed, default: undefined },
    expires_at: Date,
  },
  [
    [{ account: 1 }],
    [{ subject: 1, object: 1 }, { sparse: true }],
    [{ expires_at: 1 }, { expireAfterSeconds: 0 }],
  ],
);
