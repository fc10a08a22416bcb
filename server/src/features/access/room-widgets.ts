import type { Model } from 'mongoose';
import type { Logger } from 'pino';
import { Sweeper } from '../../platform/sweeper.ts';
import type { UnfinishedImports } from '../accounts/unfinished-imports.ts';
import type { ConversationModel } from '../inbox/conversation.model.ts';
import type { LeadModel } from '../leads/leads.model.ts';
import type { MessageModel } from '../messages/messages.model.ts';
import type { RoomModel } from '../rooms/rooms.model.ts';
import type { VisitorSessionModel } from '../visitors/sessions.model.ts';

const SWEEP_EVERY_MS = 10_000;

/** How many documents one step takes: others have their turn in between. */
const BATCH = 500;

/** What has no widget field yet: an index holds it under null. */
const UNKNOWN = { widget: null } as const;

interface Models {
  rooms: RoomModel;
  messages: MessageModel;
  leads: LeadModel;
  inbox: ConversationModel;
  sessions: VisitorSessionModel;
}

/**
 * Gives rooms and messages that were stored without their widget the one that they belong to: those of before rooms
 * knew it, and those of an older process beside this one. Until then nobody who is restricted to some widgets sees them.
 * Every step can be repeated, by any process; what is done is marked in the document itself.
 */
export class RoomWidgets {
  readonly #models: Models;
  readonly #unfinished: Pick<UnfinishedImports, 'without'>;
  readonly #sweeper: Sweeper;
  #isStopped = false;

  constructor(models: Models, unfinishedImports: Pick<UnfinishedImports, 'without'>, log: Logger) {
    this.#models = models;
    this.#unfinished = unfinishedImports;
    this.#sweeper = new Sweeper({
      sweep: () => this.sweep(),
      every: SWEEP_EVERY_MS,
      log,
      failed: 'looking for the widgets of rooms failed',
    });
  }

  start(): void {
    this.#sweeper.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#sweeper.stop();
  }

  /** Goes on until every room and message has its widget, or an empty one. */
  async sweep(): Promise<void> {
    while (!this.#isStopped && (await this.#markRooms()));
    while (!this.#isStopped && (await this.#markMessages()));
  }

  /** @returns whether there may be more */
  async #markRooms(): Promise<boolean> {
    const { rooms, leads, inbox } = this.#models;
    // By whose visitors it is known may be still to come.
    const found = await this.#unfinished.without((others) =>
      rooms
        .find({ ...UNKNOWN, ...others }, { account: 1 })
        .limit(BATCH)
        .lean()
        .exec(),
    );
    const known = await this.#widgetsOf(found.map(({ _id }) => _id));
    for (const [widget, ids] of grouped(found.map(({ _id }) => [_id, known.get(_id) ?? '']))) {
      const these = { $in: ids };
      const set = { $set: { widget } };
      // First, so that whoever dies in between does it again: the leads that a bot took there, and the conversations.
      if (widget !== '') await leads.updateMany({ room: these, widget: '' }, set);
      if (widget !== '') await inbox.updateMany({ _id: these, widget: '' }, set);
      await mark(rooms, ids, widget);
    }
    return found.length === BATCH;
  }

  /** A room's session says it, and where that has run out, what the visitor left of itself. */
  async #widgetsOf(ids: string[]): Promise<Map<string, string>> {
    const inRooms = { room: { $in: ids } };
    const fields = { room: 1, widget: 1 } as const;
    const [left, opened] = await Promise.all([
      this.#models.leads.find(inRooms, fields).lean(),
      this.#models.sessions.find(inRooms, fields).lean(),
    ]);
    const named = [...left, ...opened].filter(({ widget }) => widget !== '');
    return new Map(named.map(({ room = '', widget }) => [room, widget]));
  }

  /** @returns whether there may be more */
  async #markMessages(): Promise<boolean> {
    const { rooms, messages } = this.#models;
    const found = await this.#unfinished.without((others) =>
      messages
        .find({ ...UNKNOWN, ...others }, { account: 1, room: 1 })
        .limit(BATCH)
        .lean()
        .exec(),
    );
    const theirs = await rooms
      .find({ _id: { $in: [...new Set(found.map(({ room }) => room))] } }, { widget: 1 })
      .lean();
    const known = new Map(theirs.map(({ _id, widget }) => [_id, widget]));
    // Of a room that came meanwhile the next sweep learns; one that is gone has no widget any more.
    const marks = found.flatMap(({ _id, room }): [string, string][] => {
      const widget = known.has(room) ? known.get(room) : '';
      return widget === undefined ? [] : [[_id, widget]];
    });
    for (const [widget, ids] of grouped(marks)) await mark(messages, ids, widget);
    return found.length === BATCH && marks.length > 0;
  }
}

const mark = async (model: RoomModel | MessageModel, ids: string[], widget: string): Promise<void> => {
  // Past mongoose, which takes null for a text that is missing in the filter alone.
  await (model as Model<object>).collection.updateMany({ _id: { $in: ids as never[] }, ...UNKNOWN }, {
    $set: { widget },
  } as never);
};

/** The ids of each widget. */
const grouped = (marks: readonly (readonly [id: string, widget: string])[]): Map<string, string[]> => {
  const byWidget = new Map<string, string[]>();
  for (const [id, widget] of marks) byWidget.set(widget, [...(byWidget.get(widget) ?? []), id]);
  return byWidget;
};
