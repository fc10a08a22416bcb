import { NewWidget, WIDGET_TEXT_FIELDS, WIDGET_TEXTS, Widget } from '@parlor/shared';
import { present } from '../../database/document.ts';
import { findBy } from '../../database/find-by.ts';
import { cutPage, newestFirst, type Page, readPages } from '../../database/pages.ts';
import type { Action } from '../../events/audit.ts';
import { AuditedCollection, type Outbox } from '../../events/audited-collection.ts';
import { differences } from '../../events/change.ts';
import { notFound } from '../../platform/errors.ts';
import { newUuid, randomLetters } from '../../platform/ids.ts';
import type { View } from '../members/view.ts';
import type { StoredWidget, WidgetModel } from './widgets.model.ts';

const TOKEN_LENGTH = 24;

/** Longer than any token that was ever made: nothing is looked up by what cannot be one. */
const MAX_TOKEN = 100;

/** @throws ParlorError `not_found` */
const own = (account: string, token: string): { account: string; token: string } => {
  if (token.length > MAX_TOKEN) throw notFound();
  return { account, token };
};

/** A caller's condition on a widget as it stands; it throws when the condition does not hold. */
type Check = (current: Widget) => void;

type DeletionListener = (widget: Pick<StoredWidget, '_id' | 'account'>) => Promise<void>;

/** Widgets: the settings of the chat on an owner's site (docs/contract.md#widget). */
export class WidgetsService {
  readonly #widgets: WidgetModel;
  readonly #byId: (id: string) => Promise<Omit<StoredWidget, 'events'> | undefined>;
  readonly #audited: AuditedCollection<StoredWidget>;
  readonly #listeners: ((token: string) => void)[] = [];
  readonly #creationListeners: ((widget: StoredWidget) => void)[] = [];
  readonly #deletionListeners: DeletionListener[] = [];

  constructor(widgets: WidgetModel, outbox: Outbox) {
    this.#widgets = widgets;
    this.#byId = findBy(widgets, '_id', { events: 0 });
    this.#audited = new AuditedCollection(widgets, outbox, {
      kind: 'widget',
      label: ({ name, token }) => name || token,
      fields: Object.fromEntries(Object.keys(NewWidget.shape).map((name) => [name, name])),
      shown: ['name', 'domain', 'is_bot_use'],
    });
  }

  /** Calls `listener` with a widget's token when this process has changed or deleted the widget. */
  onChange(listener: (token: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls `listener` with a widget that was made. */
  onCreate(listener: (widget: StoredWidget) => void): void {
    this.#creationListeners.push(listener);
  }

  /** Calls `listener` with a widget that was deleted, before that is answered, and once more from the event of it. */
  onDelete(listener: DeletionListener): void {
    this.#deletionListeners.push(listener);
  }

  /** Makes a widget; what `settings` leaves out gets its default. */
  async create(
    account: string,
    settings: Partial<NewWidget>,
    uuid = newUuid(),
    action?: Action,
  ): Promise<StoredWidget> {
    const widget: StoredWidget = {
      _id: uuid,
      token: randomLetters(TOKEN_LENGTH),
      ...NewWidget.parse(settings),
      account,
      created_at: new Date(),
      is_localized: true,
      version: 1,
    };
    const { stored } = await this.#audited.insert(widget, action);
    for (const listener of this.#creationListeners) listener(stored);
    return stored;
  }

  async *list({ account, widgets }: View, page: Page): AsyncGenerator<StoredWidget[]> {
    if (widgets === undefined) return yield* readPages(this.#widgets, { account }, 'created_at', page);
    const found = await this.#widgets.find({ _id: { $in: widgets as string[] } }).lean<StoredWidget[]>();
    yield* cutPage(found.sort(newestFirst), 'created_at', page);
  }

  /**
   * Sets the fields of `wanted`.
   * @throws ParlorError `not_found`, also for another account's widget, and whatever `check` throws.
   */
  async change(
    account: string,
    token: string,
    wanted: Partial<NewWidget>,
    check?: Check,
    action?: Action,
  ): Promise<StoredWidget> {
    const decide = (current: StoredWidget) => {
      check?.(presentWidget(current));
      const known = localized(current);
      const set = differences<NewWidget>(known, wanted);
      return set && { set: { ...differences<StoredWidget>(current, known), ...set } };
    };
    const changed = await this.#audited.change(own(account, token), decide, action);
    this.#hasChanged(token);
    return changed;
  }

  /**
   * Deletes a widget; its visitors' tokens are dead with it.
   * @throws ParlorError `not_found`, also for another account's widget, and whatever `check` throws.
   */
  async delete(account: string, token: string, check?: Check, action?: Action): Promise<void> {
    const gone = await this.#audited.delete(own(account, token), action, (current) =>
      check?.(presentWidget(current)),
    );
    this.#hasChanged(token);
    await this.followDeletion(gone);
  }

  /** Does what follows from the deletion of a widget; doing it again changes nothing. */
  async followDeletion(widget: Parameters<DeletionListener>[0]): Promise<void> {
    for (const listener of this.#deletionListeners) await listener(widget);
  }

  /** The names of some of the account's widgets, by id. */
  async namesOf(account: string, ids: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#widgets.find({ _id: { $in: ids as string[] }, account }, { name: 1 }).lean();
    return new Map(found.map(({ _id, name }) => [_id, name]));
  }

  async byToken(token: string): Promise<StoredWidget | undefined> {
    if (token.length > MAX_TOKEN) return undefined;
    return (await this.#widgets.findOne({ token }).lean<StoredWidget>()) ?? undefined;
  }

  byId(id: string): Promise<Omit<StoredWidget, 'events'> | undefined> {
    return this.#byId(id);
  }

  /** Which of these widgets exist. */
  async existing(ids: readonly string[]): Promise<Set<string>> {
    const found = await this.#widgets.find({ _id: { $in: ids as string[] } }, { _id: 1 }).lean();
    return new Set(found.map(({ _id }) => _id));
  }

  /** The domains of those of these widgets that exist. */
  async domains(ids: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#widgets.find({ _id: { $in: ids as string[] } }, { domain: 1 }).lean();
    return new Map(found.map(({ _id, domain }) => [_id, domain]));
  }

  /** The account's oldest widget: the one that was made with it. */
  async firstOf(account: string): Promise<StoredWidget | undefined> {
    const [first] = await this.#widgets
      .find({ account })
      .sort({ created_at: 1, _id: 1 })
      .limit(1)
      .lean<StoredWidget[]>();
    return first;
  }

  async deleteAllOf(account: string): Promise<void> {
    await this.#widgets.deleteMany({ account });
  }

  #hasChanged(token: string): void {
    for (const listener of this.#listeners) listener(token);
  }
}

/**
 * A widget with empty texts where Parlor's own are meant. Older servers stored those in English, and an empty text
 * where the owner wanted none; such a widget is stored anew with its next change.
 */
const localized = (widget: StoredWidget): StoredWidget => {
  if (widget.is_localized) return widget;
  const known: StoredWidget = { ...widget, is_localized: true };
  for (const field of WIDGET_TEXT_FIELDS) {
    if (widget[field] === '') known[field] = ' ';
    else if (widget[field] === WIDGET_TEXTS.en[field]) known[field] = '';
  }
  return known;
};

/** The API's form of a widget, as its owner reads it. */
export const presentWidget = (widget: StoredWidget): Widget => present(Widget, localized(widget));
