import type { Logger } from 'pino';
import { hasCome } from '../../database/has-come.ts';
import { insertOnce } from '../../database/insert.ts';
import { databaseUnavailable } from '../../database/unavailable.ts';
import type { Relay } from '../../events/relay.ts';
import { LeftAlone } from '../../platform/left-alone.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import type { UnfinishedImports } from '../accounts/unfinished-imports.ts';
import type { LeadsService } from '../leads/leads.service.ts';
import { NOT_AWAITED } from '../messages/answer.ts';
import type { MessageModel, StoredMessage } from '../messages/messages.model.ts';
import type { RoomModel, StoredRoom } from '../rooms/rooms.model.ts';

/** How often rooms are searched for turns that a process left behind when it died, and how old those are. */
const SWEEP_EVERY_MS = 1_000;
const LEFT_BEHIND_AFTER_MS = 2_000;
const BATCH = 100;

/** One that can't be published is tried again after this time. */
const FAILED_AGAIN_AFTER_MS = 60_000;

/** Turns that stand where they belong leave their rooms together, as events do (events/relay.ts). */
const REMOVE_AFTER_MS = 200;

type PublishedRoom = Pick<StoredRoom, '_id' | 'account' | 'widget' | 'bot'>;

interface Parts {
  rooms: RoomModel;
  messages: MessageModel;
  leads: Pick<LeadsService, 'createByBot'>;
  relay: Pick<Relay, 'announce'>;
  unfinishedImports: Pick<UnfinishedImports, 'without'>;
  log: Logger;
}

/**
 * Puts what a turn made, and a room's document holds, where it belongs: messages among the messages, leads among
 * the leads. Each step can be repeated; what a process left behind when it died is found by a sweep.
 */
export class Publication {
  readonly #parts: Parts;
  /** Published, and still in their rooms. */
  #published: { room: string; turn: string }[] = [];
  #removalTimer: NodeJS.Timeout | undefined;
  #taking: Promise<void> | undefined;
  readonly #failed = new LeftAlone(FAILED_AGAIN_AFTER_MS);
  readonly #sweeper: Sweeper;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#sweeper = new Sweeper({
      sweep: () => this.#sweep(),
      every: SWEEP_EVERY_MS,
      log: parts.log,
      failed: 'searching for turns left behind failed',
    });
  }

  /** When it returns, the last turn of the room is in /messages/ and /leads/, and its events are on their way. */
  async publish({ _id, account, widget, bot }: PublishedRoom): Promise<void> {
    const pending = bot?.pending;
    if (!pending) return;
    const { messages: messageModel, leads, relay } = this.#parts;
    const { turn, answers, at } = pending;
    const messages = pending.messages as StoredMessage[];
    await Promise.all(messages.map((message) => insertOnce(messageModel, message)));
    for (const lead of pending.leads) {
      const none = { device: '', from_page_title: '', referrer: '' };
      // As old as its turn, so that it goes with its room where that has been begun anew.
      await leads.createByBot(account, { ...lead.fields, ...none }, lead._id, { room: _id, widget, at });
    }
    if (answers) {
      await messageModel.updateOne(
        { _id: answers.message },
        { $set: { support_answer: answers.text }, $unset: NOT_AWAITED },
      );
    }
    for (const message of messages) relay.announce(messageModel, message);
    this.#published.push({ room: _id, turn });
    this.#removalTimer ??= setTimeout(() => void this.#removeAnnounced(), REMOVE_AFTER_MS);
  }

  /** As `publish`, unless this process has just done it. */
  async ensure(room: PublishedRoom): Promise<void> {
    if (!this.#published.some(({ turn }) => turn === room.bot?.pending?.turn)) await this.publish(room);
  }

  start(): void {
    this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
    clearTimeout(this.#removalTimer);
    await this.#taking;
    await this.#removeAnnounced();
  }

  #removeAnnounced(): Promise<void> {
    this.#removalTimer = undefined;
    const batch = this.#published;
    this.#published = [];
    this.#taking = this.#unset(batch).catch((error) =>
      this.#parts.log.warn({ err: error }, 'turns stay in their rooms: taking them out failed'),
    );
    return this.#taking;
  }

  async #unset(batch: readonly { room: string; turn: string }[]): Promise<void> {
    if (batch.length === 0) return;
    const published = {
      _id: { $in: [...new Set(batch.map(({ room }) => room))] },
      'bot.pending.turn': { $in: batch.map(({ turn }) => turn) },
    };
    await this.#parts.rooms.updateMany(published as never, { $unset: { 'bot.pending': 1 } } as never);
  }

  async #sweep(): Promise<void> {
    const before = new Date(Date.now() - LEFT_BEHIND_AFTER_MS);
    const left = await this.#parts.unfinishedImports.without((others) =>
      this.#parts.rooms
        .find({ ...hasCome('bot.pending.at', before), _id: { $nin: this.#failed.ids }, ...others } as never, {
          account: 1,
        })
        .sort({ 'bot.pending.at': 1 })
        .limit(BATCH)
        .lean<Pick<StoredRoom, '_id' | 'account'>[]>()
        .exec(),
    );
    for (const { _id } of left) {
      await this.#publishLeft(_id).catch((error) => {
        if (!databaseUnavailable(error)) this.#failed.add(_id);
        this.#parts.log.error({ err: error, room: _id }, 'a turn could not be published');
      });
    }
  }

  /** One after the other: each may have some hundred kilobytes. */
  async #publishLeft(_id: string): Promise<void> {
    const room = await this.#parts.rooms.findOne({ _id }).lean<StoredRoom>();
    if (room) await this.publish(room);
  }
}
