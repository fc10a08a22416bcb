import type { AuditedKind, FieldChange } from '@parlor/shared';
import type { Model } from 'mongoose';
import { insertOnce } from '../database/insert.ts';
import { type Action, type AuditedFields, auditEvent, changesOf, deletionEvent } from './audit.ts';
import { type Change, changeDocument } from './change.ts';
import { deleteDocument } from './delete.ts';
import type { EventHolder, OutboxEvent } from './events.ts';
import type { Relay } from './relay.ts';
import type { Tombstones } from './tombstones.ts';

interface Audited extends EventHolder {
  account: string;
  created_at: Date;
}

/** How the audit trail speaks of a collection's documents. */
interface Described<T> extends AuditedFields<T> {
  kind: AuditedKind;
  label(document: T): string;
  /** By another uuid than its `_id`. */
  uuid?(document: T): string;
}

/** What a change sets; `more` are changes of fields that a further write makes. */
interface AuditedChange<T> extends Pick<Change<T>, 'set' | 'unset'> {
  more?: readonly FieldChange[];
}

/** What announces events, and keeps those of deleted documents. */
export interface Outbox {
  relay: Pick<Relay, 'announce'>;
  tombstones: Tombstones;
}

/**
 * A collection whose changes are audited: each write holds its entry (docs/contract.md#audit-trail). Without an action,
 * as where the server does something by itself, there is none.
 */
export class AuditedCollection<T extends Audited> {
  readonly #model: Model<T>;
  readonly #outbox: Outbox;
  readonly #described: Described<T>;

  constructor(model: Model<T>, outbox: Outbox, described: Described<T>) {
    this.#model = model;
    this.#outbox = outbox;
    this.#described = described;
  }

  /** `insertOnce`. */
  async insert(document: T, action: Action | undefined): Promise<{ stored: T; isNew: boolean }> {
    const { shown = [] } = this.#described;
    const made = Object.fromEntries(shown.map((field) => [field, document[field]])) as Partial<T>;
    const events = this.#events(action, document, changesOf(this.#described, {}, made));
    const result = await insertOnce(this.#model, events.length > 0 ? { ...document, events } : document);
    if (result.isNew) this.#outbox.relay.announce(this.#model, { ...document, events });
    return result;
  }

  /** `changeDocument`, by who may do it still; there is no entry where nothing changes that has a name. */
  async change<V extends T & { version: number }>(
    filter: object,
    decide: (current: V) => AuditedChange<V> | undefined | Promise<AuditedChange<V> | undefined>,
    action: Action | undefined,
  ): Promise<V> {
    const model = this.#model as unknown as Model<V>;
    const decideOn = async (current: V) => {
      const change = await decide(current);
      if (!change) return undefined;
      const { more = [], ...written } = change;
      const changes = [...changesOf<T>(this.#described, current, written.set), ...more];
      return { ...written, events: changes.length > 0 ? this.#events(action, current, changes) : [] };
    };
    const changed = await changeDocument<V>(model, filter, decideOn, async () => action?.stillAllowed?.());
    if (changed.events) this.#outbox.relay.announce(model, changed);
    return changed;
  }

  /** `deleteDocument`, by who may do it still. @param told the event that tells others of it, beside the entry */
  delete(
    filter: object,
    action: Action | undefined,
    check?: (current: T) => void | Promise<void>,
    told?: (current: T) => OutboxEvent,
  ): Promise<T> {
    return deleteDocument(this.#model, filter, this.#outbox.tombstones, {
      check: async (current) => {
        await action?.stillAllowed?.();
        await check?.(current);
      },
      events: (current) => [
        ...(action
          ? [deletionEvent(action, current.account, this.#objectOf(current), current.created_at)]
          : []),
        ...(told ? [told(current)] : []),
      ],
    });
  }

  #objectOf(document: T) {
    const { kind, label, uuid = ({ _id }: T) => _id } = this.#described;
    return { kind, uuid: uuid(document), label: label(document) };
  }

  #events(action: Action | undefined, document: T, changes: readonly FieldChange[]): OutboxEvent[] {
    return action ? [auditEvent(action, document.account, this.#objectOf(document), changes)] : [];
  }
}
