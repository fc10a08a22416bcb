import { type AuditEntry, codePoints, type FieldChange, MAX_AUDIT_TEXT } from '@parlor/shared';
import { v5 } from 'uuid';
import { newEvent, type OutboxEvent } from './events.ts';

type Actor = AuditEntry['actor'];
type AuditedObject = AuditEntry['object'];

/** Who does what from where: what an entry of the audit trail says beside what has changed (docs/contract.md#audit-trail). */
export interface Action {
  /** The operation's id in the OpenAPI document, or the words of the command. */
  name: string;
  actor: Actor;
  /** Empty where it is not known, and always a visitor's. */
  address: string;
  /** Looks again at who does it, where it has waited; it throws where that one may not any more. No part of an entry. */
  stillAllowed?(): Promise<void>;
}

/** What somebody does who is known only when it is done, such as a sign-in: unless said otherwise its member did it. */
export type ActionOfOne = Omit<Action, 'actor'> & Partial<Pick<Action, 'actor'>>;

/** What the outbox carries of an entry. */
export type AuditData = Pick<AuditEntry, 'actor' | 'address' | 'action' | 'object' | 'changes'>;

/** The most fields that an entry names: more than any object has. */
const MAX_CHANGES = 60;

const cut = (text: string): string =>
  codePoints(text) <= MAX_AUDIT_TEXT ? text : `${[...text].slice(0, MAX_AUDIT_TEXT - 1).join('')}…`;

const shown = (value: string | null): string | null => (value === null ? null : cut(value));

/** The entry of an action, to be written with what it changes; the relay moves it into the trail. */
export const auditEvent = (
  { name, actor, address }: Action,
  account: string,
  object: AuditedObject,
  changes: readonly FieldChange[] = [],
): OutboxEvent => {
  const data: AuditData = {
    actor: { ...actor, name: cut(actor.name), token: shown(actor.token) },
    address: address === '' || actor.kind === 'visitor' ? null : address,
    action: name,
    object: { ...object, label: cut(object.label) },
    changes: changes
      .slice(0, MAX_CHANGES)
      .map(({ field, from, to }) => ({ field, from: shown(from), to: shown(to) })),
  };
  return newEvent('audit', account, new Date(), data);
};

/** Says of an entry that it tells of a deletion: what follows from that is certain, whatever dies on the way. */
export const ofDeletion = (entry: OutboxEvent): OutboxEvent => ({ ...entry, is_deletion: true });

/** The entry of a deletion. Its id derives from the object: whoever else tried to delete it adds no second one. */
export const deletionEvent = (
  action: Action,
  account: string,
  object: AuditedObject,
  made_at: Date,
): OutboxEvent => ({
  ...ofDeletion(auditEvent(action, account, object)),
  id: v5(`deleted ${made_at.getTime()}`, object.uuid),
});

/** What nobody signs in for: the server's own work, or a command of its operator. */
export const ownAction = (kind: 'system' | 'cli', name: string): Action => ({
  name,
  actor: { kind, uuid: null, name: '', token: null },
  address: '',
});

/** The fields of a kind of object that entries name. */
export interface AuditedFields<T> {
  /** What the API calls them. No other is named. */
  fields: { readonly [field in keyof T]?: string };
  /** Those whose values entries show: never a secret, nor what may hold one. */
  shown?: readonly (keyof T & string)[];
}

/** A value of a field that is shown, as text. */
export const asText = (value: unknown): string | null => {
  if (value === undefined || value === null) return null;
  return value instanceof Date ? value.toISOString() : String(value);
};

/** What an entry says of the fields in `set` that have a name and differ from `current`. */
export const changesOf = <T extends object>(
  { fields, shown = [] }: AuditedFields<T>,
  current: Partial<T>,
  set: Partial<T>,
): FieldChange[] =>
  (Object.keys(set) as (keyof T & string)[]).flatMap((stored): FieldChange[] => {
    const field = fields[stored];
    if (field === undefined || set[stored] === current[stored]) return [];
    if (!shown.includes(stored)) return [{ field, from: null, to: null }];
    return [{ field, from: asText(current[stored]), to: asText(set[stored]) }];
  });
