import type { Model } from 'mongoose';
import { defineModel } from '../../database/model.ts';
import { outboxFields, outboxIndex } from '../../events/events.ts';
import { memberFields } from '../accounts/member-fields.ts';
import type { StoredMember } from './member.ts';

export type MemberModel = Model<StoredMember>;

export const memberModel = defineModel<StoredMember>(
  'Member',
  {
    _id: String,
    ...memberFields,
    account: String,
    role: String,
    widgets: { type: [String], default: undefined },
    invitation_hash: String,
    invitation_key: String,
    invitation_expires_at: Date,
    invited_by: String,
    ...outboxFields,
  },
  [
    [{ account: 1, created_at: -1, _id: -1 }],
    // Who has not accepted an invitation has none of these, and keeps nobody else from them.
    [{ username_key: 1 }, { unique: true, sparse: true }],
    [{ email_key: 1 }, { unique: true, sparse: true }],
    [{ token_fingerprint: 1 }, { unique: true, sparse: true }],
    [{ invitation_hash: 1 }, { unique: true, sparse: true }],
    [{ invitation_key: 1 }, { sparse: true }],
    outboxIndex,
  ],
);
