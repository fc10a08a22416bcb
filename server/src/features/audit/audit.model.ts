import type { AuditEntry } from '@parlor/shared';
import { type Model, Schema } from 'mongoose';
import { z } from 'zod';
import type { Stored } from '../../database/document.ts';
import { defineModel, type Index } from '../../database/model.ts';

/** How long an entry is kept, in seconds. */
export const KEPT_FOR_S = 365 * 86_400;

export interface StoredAuditEntry extends Stored<Omit<AuditEntry, 'at'>> {
  account: string;
  at: Date;
}

const orNull = z.string().nullable();

/** What of an entry is read by whoever shows it. */
export const AUDIT_SHAPES = {
  actor: z.looseObject({ kind: z.string(), uuid: orNull, name: z.string(), token: orNull }),
  object: z.looseObject({ kind: z.string(), uuid: z.string(), label: z.string() }),
  changes: z.array(z.looseObject({ field: z.string(), from: orNull, to: orNull })),
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
