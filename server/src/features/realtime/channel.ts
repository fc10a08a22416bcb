import type { Logger } from 'pino';
import { isOfNote, noteOf, type OutboxEvent } from '../../events/events.ts';
import type { EventConsumer } from '../../events/relay.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { ConnectionIndex, type Ended } from './connection-index.ts';
import { EventIds } from './event-ids.ts';
import type { EventLogEntry, EventLogEntryModel, EventLogHeadModel } from './event-log.model.ts';
import { EventLog, type NewEntry } from './event-log.ts';
import { entryOf, frameText, isPassing, ownFrame } from './frames.ts';
import { RecentFrames } from './recent-frames.ts';
import { Tail } from './tail.ts';

/** Something that is told once. */
type PassingEntry = Omit<NewEntry, 'event' | 'at'>;

/** So that others get their turn in between. */
const PASSED_AT_ONCE = 50;

/** What passes and waits for the database, at most: messages stand behind it, and late it is of no use. */
const MAX_PASSING = 1_000;

/** A room, lead or note that was deleted. An older process takes no notice of `before`. */
interface Forgotten {
  forget: string;
  before?: Date;
}

/** What processes tell each other. */
type Control = { ended: Ended } | Forgotten | { recount: true };

/**
 * What happens, on its way to the clients of all server processes: the relay writes it into the log, every process
 * follows the log and tells its own connections (docs/contract.md#live-channel).
 */
export class Channel {
  readonly log: EventLog;
  readonly tail: Tail;
  readonly connections = new ConnectionIndex();
  readonly recent = new RecentFrames();
  readonly #logger: Logger;
  #passing = 0;
  readonly #listeners: ((entry: EventLogEntry) => void)[] = [];
  readonly #forgetters: ((subject: string) => void)[] = [];
  readonly #recounters: ((account: string) => void)[] = [];

  /** @param isOnlyProcess no other process writes into the log, so that it need not be asked */
  constructor(
    models: { realtimeEntries: EventLogEntryModel; realtimeHead: EventLogHeadModel },
    secrets: Secrets,
    logger: Logger,
    isOnlyProcess = false,
  ) {
    this.#logger = logger;
    const offer = (entries: EventLogEntry[]) => this.tail.offer(entries);
    const { realtimeEntries: stored, realtimeHead: head } = models;
    this.log = new EventLog(stored, head, new EventIds(secrets), offer, isOnlyProcess);
    this.tail = new Tail(
      this.log,
      (entry) => this.#tell(entry),
      () => this.connections.size > 0 && !isOnlyProcess,
      logger,
    );
  }

  /** Writes what the channel carries of the outbox's events into the log; a second time changes nothing. */
  readonly consume: EventConsumer = async (events) => {
    const entries = events.flatMap((event) => entryOf(event) ?? []);
    if (entries.length > 0) await this.log.append(entries);
    await this.#forgetNotes(events);
  };

  async start(): Promise<void> {
    await this.tail.start();
  }

  async stop(): Promise<void> {
    await this.log.settled();
    await this.tail.stop();
  }

  /** Tells something that is not kept, such as that somebody is typing; nothing where too much of that waits. */
  async pass(entry: PassingEntry): Promise<void> {
    if (this.#passing >= MAX_PASSING) return;
    this.#passing++;
    try {
      await this.passAll([entry]);
    } finally {
      this.#passing--;
    }
  }

  async passAll(entries: readonly PassingEntry[]): Promise<void> {
    const at = new Date();
    for (let from = 0; from < entries.length; from += PASSED_AT_ONCE) {
      const some = entries.slice(from, from + PASSED_AT_ONCE);
      await this.log.append(some.map((entry) => ({ event: newUuid(), at, ...entry })));
    }
  }

  /** Calls `listener` with every event, before the clients of this process are told of it. */
  onEntry(listener: (entry: EventLogEntry) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls `forget` with every room and lead that was deleted, on every process. */
  onForget(forget: (subject: string) => void): void {
    this.#forgetters.push(forget);
  }

  /** Calls `recount` with every account whose numbers are to be counted again, on every process. */
  onRecount(recount: (account: string) => void): void {
    this.#recounters.push(recount);
  }

  /** Numbers of an account have changed by something that no event tells; where that can't be told, the next change tells it. */
  recount(account: string): void {
    this.#control(account, { recount: true }).catch((err) =>
      this.#logger.warn({ err }, 'numbers of an inbox may be late'),
    );
  }

  /** Ends the sockets that rest on a credential, on every process. */
  end(account: string, ended: Ended): Promise<void> {
    return this.#control(account, { ended });
  }

  /**
   * Forgets what was said in a room, of a lead or in a note that was deleted: nobody gets it by `after` any more.
   * @param before only what happened before
   */
  async forget(subject: string, before?: Date): Promise<void> {
    await this.log.erase(subject, before);
    await this.#control('', { forget: subject, ...(before && { before }) });
  }

  /**
   * Of a note that was deleted nothing is left but that. Another process may tell late what it said: whoever writes either
   * looks for the other one afterwards, so that the later of them finds both.
   */
  async #forgetNotes(events: readonly OutboxEvent[]): Promise<void> {
    const deleted = events.filter(({ name }) => name === 'note.deleted').map(noteOf);
    const told = events.filter(isOfNote);
    if (told.length > 0) deleted.push(...(await this.log.read.deletedOf(told)));
    for (const note of new Set(deleted)) await this.forget(note);
  }

  #control(account: string, data: Control): Promise<void> {
    return this.log.append([{ event: newUuid(), at: new Date(), name: 'control', account, data }]);
  }

  #forget({ forget: subject, before }: Forgotten): void {
    this.recent.erase(subject, before);
    for (const forget of this.#forgetters) forget(subject);
  }

  #tell(entry: EventLogEntry): void {
    this.recent.follow(entry._id);
    if (entry.name === 'control') {
      const control = entry.data as Control;
      if ('ended' in control) this.connections.end(entry.account, control.ended);
      else if ('forget' in control) this.#forget(control);
      else for (const recount of this.#recounters) recount(entry.account);
      return;
    }
    for (const listener of this.#listeners) listener(entry);
    let text = frameText(entry, this.log.idOf(entry));
    if (text === undefined) {
      this.#logger.error({ event: entry.event, name: entry.name }, 'an event does not fit its frame');
      // Clients read by REST what can't be told them.
      text = ownFrame({ type: 'resync' });
    }
    if (!isPassing(entry)) this.recent.add({ entry, text });
    this.connections.tell(entry, text);
  }
}
