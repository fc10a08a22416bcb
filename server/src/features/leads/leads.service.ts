import { hasContact, Lead, NewLead, NO_CONTACT } from '@parlor/shared';
import { v5 } from 'uuid';
import { present } from '../../database/document.ts';
import { findBy } from '../../database/find-by.ts';
import { insertOnce } from '../../database/insert.ts';
import { type Page, readPages } from '../../database/pages.ts';
import type { Action } from '../../events/audit.ts';
import { AuditedCollection, type Outbox } from '../../events/audited-collection.ts';
import { changeDocument, differences } from '../../events/change.ts';
import { newEvent, type OutboxEvent } from '../../events/events.ts';
import type { Relay } from '../../events/relay.ts';
import { invalidTogether, notFound } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import { inView, isInView, type View, wholeAccount } from '../members/view.ts';
import type { StoredRoom } from '../rooms/rooms.model.ts';
import type { RoomsService } from '../rooms/rooms.service.ts';
import type { VisitorSession } from '../visitors/sessions.model.ts';
import type { Visitor } from '../visitors/sessions.service.ts';
import type { LeadModel, StoredLead } from './leads.model.ts';

/** A caller's condition on a lead as it stands; it throws when the condition does not hold. */
type Check = (current: Lead) => void;

/** The uuid of a visitor's one lead: derived from its session, so that two first posts at once make one lead. */
export const visitorLead = (session: Pick<VisitorSession, '_id'>): string => v5('lead', session._id);

/** Where a lead was left; `at` is when a bot took it. */
type Place = Partial<Pick<StoredRoom, 'widget'>> & { room?: string; at?: Date };

const checkContact = (lead: Parameters<typeof hasContact>[0]): void => {
  if (!hasContact(lead)) throw invalidTogether(NO_CONTACT);
};

interface LeadRemoval {
  /** Deletes a lead by `remove`, and then what else is kept of it. */
  deleteLead(account: string, lead: string, remove: () => Promise<unknown>): Promise<void>;
  /** Whether it was deleted within the last minute, or is being. */
  isDeleting(account: string, lead: string): Promise<boolean>;
}

/** Leads: who left word of themselves (docs/contract.md#lead). */
export class LeadsService {
  readonly #leads: LeadModel;
  readonly #byId: (uuid: string) => Promise<Omit<StoredLead, 'events'> | undefined>;
  readonly #rooms: Pick<RoomsService, 'ofVisitor' | 'dropPendingLead'>;
  readonly #relay: Pick<Relay, 'announce'>;
  readonly #audited: AuditedCollection<StoredLead>;
  readonly #deletion: LeadRemoval;

  constructor(
    leads: LeadModel,
    rooms: Pick<RoomsService, 'ofVisitor' | 'dropPendingLead'>,
    outbox: Outbox,
    deletion: LeadRemoval,
  ) {
    this.#leads = leads;
    this.#byId = findBy(leads, '_id', { events: 0 });
    this.#rooms = rooms;
    this.#relay = outbox.relay;
    // What it is called names a visitor.
    this.#audited = new AuditedCollection(leads, outbox, { kind: 'lead', label: () => '', fields: {} });
    this.#deletion = deletion;
  }

  /**
   * Stores a lead, with its lead.added event in the same write.
   * @throws ParlorError `invalid` when it neither names nor reaches anybody.
   */
  async create(account: string, input: NewLead, uuid = newUuid()): Promise<StoredLead> {
    return (await this.#insert(account, input, uuid, {})).stored;
  }

  /**
   * Stores a lead that a bot took; a second time changes nothing, also where it was deleted in between.
   * @throws ParlorError `invalid` when it neither names nor reaches anybody.
   */
  async createByBot(
    account: string,
    input: NewLead,
    uuid: string,
    place: Place & { at: Date },
  ): Promise<void> {
    if (!(await this.#deletion.isDeleting(account, uuid))) await this.#insert(account, input, uuid, place);
  }

  /**
   * Stores a visitor's lead, or changes the one that it has (docs/contract.md#visitors); the first thing that
   * a visitor leaves makes its room. What the widget does not send of the device and the page, the session
   * knows.
   * @param viewNow as `change` takes it
   */
  async saveByVisitor(
    visitor: Visitor,
    sent: Partial<NewLead>,
    viewNow: () => Promise<View>,
  ): Promise<{ lead: StoredLead; isNew: boolean }> {
    const { session, widget } = visitor;
    const { account } = session;
    const uuid = visitorLead(session);
    const known = await this.#leads.findOne({ _id: uuid, account }, { _id: 1 }).lean();
    if (!known) {
      const given = NewLead.parse(sent);
      checkContact(given);
      await this.#rooms.ofVisitor(visitor);
      const input = {
        ...given,
        device: given.device || session.device,
        from_page_title: given.from_page_title || session.page.title,
        referrer: given.referrer || session.page.referrer,
      };
      const { stored, isNew } = await this.#insert(account, input, uuid, {
        room: session.room,
        widget: widget._id,
      });
      if (isNew) return { lead: stored, isNew };
    }
    return { lead: await this.change(viewNow, uuid, sent), isNew: false };
  }

  list(view: View, page: Page): AsyncGenerator<StoredLead[]> {
    return readPages(this.#leads, inView(view), 'created_at', page);
  }

  /** @throws ParlorError `not_found`, also for a lead out of view. */
  async get(view: View, uuid: string): Promise<Omit<StoredLead, 'events'>> {
    const lead = await this.#byId(uuid);
    if (!lead || !isInView(view, lead)) throw notFound();
    return lead;
  }

  /**
   * Sets the fields of `wanted`; lead.changed names those that really changed, and does not fire for none.
   * @param viewNow says what is seen by whoever changes it, also once its turn has come
   * @throws ParlorError `not_found`, `invalid`, and whatever `viewNow` and `check` throw.
   */
  async change(
    viewNow: () => Promise<View>,
    uuid: string,
    wanted: Partial<NewLead>,
    check?: Check,
  ): Promise<StoredLead> {
    const { account } = await viewNow();
    const decide = (current: StoredLead, view: View) => {
      if (!isInView(view, current)) throw notFound();
      check?.(presentLead(current));
      const set = differences<NewLead>(current, wanted);
      if (!set) return undefined;
      const next = { ...current, ...set };
      checkContact(next);
      const data = { ...presentLead(next), changed: Object.keys(set) };
      return { set, events: [newEvent('lead.changed', account, new Date(), data, current)] };
    };
    const changed = await changeDocument(this.#leads, { _id: uuid, account }, decide, viewNow);
    this.#relay.announce(this.#leads, changed);
    return changed;
  }

  /**
   * Deletes a lead, with what deliveries and kept responses say of it; whoever saw it is told on the live channel.
   * @throws ParlorError `not_found`, and whatever `check` throws.
   */
  async delete(account: string, uuid: string, check?: Check, action?: Action): Promise<void> {
    const { room } = await this.get(wholeAccount(account), uuid);
    await this.#deletion.deleteLead(account, uuid, async () => {
      await action?.stillAllowed?.();
      if (room !== undefined) await this.#rooms.dropPendingLead(room, uuid);
      await this.#audited.delete(
        { _id: uuid, account },
        action,
        (current) => check?.(presentLead(current)),
        deletedEvent,
      );
    });
  }

  /** The leads that were left in a conversation. */
  async ofRoom(account: string, room: string): Promise<string[]> {
    const found = await this.#leads.find({ room, account }, { _id: 1 }).lean();
    return found.map(({ _id }) => _id);
  }

  async #insert(
    account: string,
    input: NewLead,
    uuid: string,
    { room, widget = '', at }: Place,
  ): Promise<{ stored: StoredLead; isNew: boolean }> {
    checkContact(input);
    const created_at = at ?? new Date();
    const lead: StoredLead = { _id: uuid, ...input, created_at, account, widget, version: 1 };
    if (room !== undefined) lead.room = room;
    lead.events = [newEvent('lead.added', account, created_at, presentLead(lead), lead)];
    const { stored, isNew } = await insertOnce(this.#leads, lead);
    // Whoever deleted it has not seen that a bot's turn, read before, made it again.
    if (isNew && at && (await this.#deletion.isDeleting(account, uuid))) {
      await this.#leads.deleteOne({ _id: uuid, account });
      return { stored, isNew: false };
    }
    if (isNew) this.#relay.announce(this.#leads, lead);
    return { stored, isNew };
  }
}

/** Says nothing of the visitor. Its id derives from the lead: two who try to delete it at once tell of it once. */
const deletedEvent = (lead: StoredLead): OutboxEvent => ({
  ...newEvent('lead.deleted', lead.account, new Date(), { uuid: lead._id }, lead),
  id: v5(`lead.deleted ${lead.created_at.getTime()}`, lead._id),
});

/** The API's form of a lead. */
export const presentLead = (lead: StoredLead): Lead =>
  present(Lead, lead, { widget: lead.widget || null, conversation: lead.room ?? null });
