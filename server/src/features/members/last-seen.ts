import type { Logger } from 'pino';
import { Sweeper } from '../../platform/sweeper.ts';
import type { ActiveMember } from './member.ts';
import type { MemberModels } from './member-store.ts';

/** That a member was here is written down no more often than this. */
const SEEN_EVERY_MS = 60_000;

/** How long it may take until that is written: requests do not wait for it. */
const WRITTEN_EVERY_MS = 1_000;

/** When members were last here (docs/contract.md#members): kept in memory for a moment, and written for many at once. */
export class LastSeen {
  readonly #models: MemberModels;
  readonly #sweeper: Sweeper;
  /** Who is to be written down: accounts by whose founding member was here, and other members. */
  #founders = new Set<string>();
  #others = new Set<string>();
  /** Those of the last round: requests that were under way then do not know it yet. */
  #written = new Set<string>();

  constructor(models: MemberModels, log: Logger) {
    this.#models = models;
    this.#sweeper = new Sweeper({
      sweep: () => this.#write(),
      every: WRITTEN_EVERY_MS,
      log,
      failed: 'when members were last here was not written down',
    });
  }

  /** A member is here. Returns at once. */
  note({ _id, account, isFounder, seen_at }: ActiveMember): void {
    if (seen_at && Date.now() - seen_at.getTime() < SEEN_EVERY_MS) return;
    const id = isFounder ? account : _id;
    if (!this.#written.has(id)) (isFounder ? this.#founders : this.#others).add(id);
  }

  start(): void {
    this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
    await this.#write();
  }

  async #write(): Promise<void> {
    const [founders, others] = [[...this.#founders], [...this.#others]];
    this.#written = new Set([...founders, ...others]);
    this.#founders = new Set();
    this.#others = new Set();
    const update = { $max: { seen_at: new Date() } };
    const { accounts, members } = this.#models;
    if (founders.length > 0) await accounts.updateMany({ _id: { $in: founders } }, update);
    if (others.length > 0) await members.updateMany({ _id: { $in: others } }, update);
  }
}
