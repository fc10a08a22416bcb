import { ACTOR_KINDS, AUDITED_KINDS, type AuditEntry, choice, MAX_AUDIT_TEXT, text } from '@parlor/shared';
import { type Model, Schema } from 'mongoose';
import type { Stored } from '../../database/document.ts';
import { defineModel, type Index } from '../../database/model.ts';
import { identifier, listOf, open } from '../../database/stored-shapes.ts';

/** How long an entry is kept, in seconds. */
export const KEPT_FOR_S = 365 * 86_400;

export interface StoredAuditEntry extends Stored<Omit<AuditEntry, 'at'>> {
  account: string;
  at: Date;
}

const shown = () => text({ max: MAX_AUDIT_TEXT });

/** What of an entry is read by whoever shows it. */
export const AUDIT_SHAPES = {
  actor: open({
    kind: choice(ACTOR_KINDS),
    uuid: identifier().nullable(),
    name: shown(),
    token: shown().nullable(),
  }),
  address: identifier(),
  object: open({ kind: choice(AUDITED_KINDS), uuid: identifier(), label: shown() }),
  changes: listOf(open({ field: identifier(), from: shown().nullable(), to: shown().nullable() })),
};

export type AuditModel = Model<StoredAuditEntry>;

const newestOf = (...fields: string[]): Index => [
  {
    account: 1,
    ...Object.fromEntries(fields.map((field) => [field, 1 as const])),
    at: -1,
    _id: -1,
  },
];

export const auditModel = defineModel<StoredAuditEntry>(
  'AuditEntry',
  {
    _id: String,
    account: String,
    at: Date,
    last_at: Date,
    count: Number,
    actor: Schema.Types.Mixed,
    address: String,
    action: String,
    object: Schema.Types.Mixed,
    changes: Schema.Types.Mixed,
  },
  [
    newestOf(),
    newestOf('actor.uuid'),
    newestOf('actor.uuid', 'object.kind'),
    newestOf('actor.uuid', 'action'),
    newestOf('object.uuid'),
    newestOf('object.kind'),
    newestOf('action'),
    [{ at: 1 }, { expireAfterSeconds: KEPT_FOR_S }],
  ],
);
