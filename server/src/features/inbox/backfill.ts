import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isDocumentRefused } from '../../database/refused.ts';
import type { UnfinishedImports } from '../accounts/unfinished-imports.ts';
import type { RoomModel } from '../rooms/rooms.model.ts';
import type { ConversationModel } from './conversation.model.ts';
import { type ConversationFollower, FROM_ROOM, type RoomFields } from './follow.ts';

/** How many rooms one step takes, and how long others have their waiting in between (milliseconds). */
const BATCH = 200;
const PAUSE_MS = 20;

/** After a step that failed, as without its database. */
const AGAIN_AFTER_MS = 5_000;

/**
 * Gives rooms that have no conversation one, once after each start: those of before there were conversations, those
 * that came with an import, and those of an older process that ran beside. Of what is there already only a widget that
 * is still missing is taken over, so every process may do it, and one that is killed begins anew with the next start.
 */
export class ConversationBackfill {
  readonly #conversations: ConversationModel;
  readonly #rooms: RoomModel;
  readonly #follower: Pick<ConversationFollower, 'begin' | 'takeWidget'>;
  readonly #unfinished: Pick<UnfinishedImports, 'without'>;
  readonly #log: Logger;
  #isStopped = false;
  #running: Promise<void> | undefined;

  constructor(
    models: { inbox: ConversationModel; rooms: RoomModel },
    follower: Pick<ConversationFollower, 'begin' | 'takeWidget'>,
    unfinishedImports: Pick<UnfinishedImports, 'without'>,
    log: Logger,
  ) {
    this.#conversations = models.inbox;
    this.#rooms = models.rooms;
    this.#follower = follower;
    this.#unfinished = unfinishedImports;
    this.#log = log;
  }

  start(): void {
    this.#running = this.run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Resolves when every room that was there has a conversation. */
  async run(): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined && !this.#isStopped; ) {
      try {
        after = await this.#step(after);
        await sleep(PAUSE_MS);
      } catch (error) {
        this.#log.warn({ err: error }, 'rooms wait for their conversations');
        await sleep(AGAIN_AFTER_MS);
      }
    }
  }

  /** @returns the last room of this step; undefined when there are no more */
  async #step(after: string): Promise<string | undefined> {
    // Their own conversations are still to come.
    const found = await this.#unfinished.without((others) =>
      this.#rooms
        .find({ _id: { $gt: after }, ...others }, FROM_ROOM)
        .sort({ _id: 1 })
        .limit(BATCH)
        .lean<RoomFields[]>()
        .exec(),
    );
    const ids = found.map(({ _id }) => _id);
    const known = await this.#conversations.find({ _id: { $in: ids } }, { widget: 1 }).lean();
    const widgets = new Map(known.map(({ _id, widget }) => [_id, widget]));
    for (const room of found) {
      if (this.#isStopped) return undefined;
      try {
        await this.#fill(room, widgets.get(room._id));
      } catch (error) {
        // One that is damaged is passed by; a database that is gone is waited for.
        if (!isDocumentRefused(error)) throw error;
        const { _id, account } = room;
        this.#log.error({ err: error, account, room: _id }, 'a damaged room gets no conversation');
      }
    }
    return found.length === BATCH ? ids.at(-1) : undefined;
  }

  /** @param widget of its conversation; undefined where it has none */
  async #fill(room: RoomFields, widget: string | undefined): Promise<void> {
    if (widget === undefined) await this.#follower.begin(room, { isTold: false });
    else if (widget === '' && room.widget) await this.#follower.takeWidget(room._id);
  }
}
