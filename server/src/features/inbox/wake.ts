import type { Logger } from 'pino';
import { databaseUnavailable } from '../../database/unavailable.ts';
import { changeDocument } from '../../events/change.ts';
import type { Relay } from '../../events/relay.ts';
import { ignoreMissing } from '../../platform/errors.ts';
import { LeftAlone } from '../../platform/left-alone.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import type { UnfinishedImports } from '../accounts/unfinished-imports.ts';
import type { ConversationModel, StoredConversation } from './conversation.model.ts';
import { changeOf } from './state.ts';

const SWEEP_EVERY_MS = 1_000;
const BATCH = 200;

/** One that can't be opened is tried again after this time. */
const FAILED_AGAIN_AFTER_MS = 60_000;

/** Opens what was snoozed once its time has come, whichever process finds it first. */
export class SnoozeWaker {
  readonly #conversations: ConversationModel;
  readonly #relay: Pick<Relay, 'announce'>;
  readonly #unfinished: Pick<UnfinishedImports, 'without'>;
  readonly #log: Logger;
  readonly #failed = new LeftAlone(FAILED_AGAIN_AFTER_MS);
  readonly #sweeper: Sweeper;

  constructor(
    conversations: ConversationModel,
    relay: Pick<Relay, 'announce'>,
    unfinishedImports: Pick<UnfinishedImports, 'without'>,
    log: Logger,
  ) {
    this.#conversations = conversations;
    this.#relay = relay;
    this.#unfinished = unfinishedImports;
    this.#log = log;
    this.#sweeper = new Sweeper({
      sweep: () => this.sweep(),
      every: SWEEP_EVERY_MS,
      log,
      failed: 'looking for snoozed conversations failed',
    });
  }

  start(): void {
    this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
  }

  /** Wakes some of those that are due. */
  async sweep(now = new Date()): Promise<void> {
    const due = { snoozed_until: { $lte: now }, _id: { $nin: this.#failed.ids } };
    const found = await this.#unfinished.without((others) =>
      this.#conversations
        .find({ ...due, ...others }, { account: 1 })
        .limit(BATCH)
        .lean()
        .exec(),
    );
    const woken = found.map(({ _id }) => this.#wake(_id, now).catch((error) => this.#leave(_id, error)));
    const waiting = (await Promise.allSettled(woken)).find(({ status }) => status === 'rejected');
    if (waiting) throw (waiting as PromiseRejectedResult).reason;
  }

  /** @throws `error` where the database can't do it now: it is tried again with the next sweep */
  #leave(conversation: string, error: unknown): void {
    if (databaseUnavailable(error)) throw error;
    this.#failed.add(conversation);
    this.#log.error({ err: error, conversation }, 'a snoozed conversation could not be opened');
  }

  async #wake(_id: string, now: Date): Promise<void> {
    const changed = await changeDocument<StoredConversation>(this.#conversations, { _id }, (current) => {
      if (!current.snoozed_until || current.snoozed_until > now) return undefined;
      const at = new Date();
      return changeOf(current, { status: 'open', snoozed_until: null, status_at: at, updated_at: at });
    }).catch(ignoreMissing);
    if (changed) this.#relay.announce(this.#conversations, changed);
  }
}
