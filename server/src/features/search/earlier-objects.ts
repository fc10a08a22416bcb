import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { duplicateFields } from '../../database/duplicate.ts';
import { hasCome } from '../../database/has-come.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import type { AccountModel } from '../accounts/accounts.model.ts';
import type { UnfinishedImports } from '../accounts/unfinished-imports.ts';
import { uuidOfKey } from './lines.ts';
import { linesOf } from './object-lines.ts';
import type { Sealing } from './sealing.ts';
import type { SearchProgress, SearchProgressModel } from './segments.model.ts';
import type { SegmentPlace, Segments } from './segments.ts';
import { isTimed, type SearchObject, type SearchSource } from './source.ts';
import { placeOfText, placeToText } from './walk-place.ts';

const SWEEP_EVERY_MS = 5_000;

/** What has waited for this time is sealed, however little it is. */
const SEALED_AFTER_MS = 10 * 60_000;

/** A process that dies in between is replaced after this time; no step takes as long. */
const LEASE_MS = 30_000;

/** Others have their turn between two steps. */
const PAUSE_MS = 20;

/** The walk through all accounts. Its number grows when other words are made of texts, so that all is gone through anew. */
const ALL = 'all 3';
const NEVER = new Date(0);

interface Parts {
  accounts: AccountModel;
  progress: SearchProgressModel;
  segments: Segments;
  sealing: Sealing;
  sources: readonly SearchSource[];
  unfinishedImports: Pick<UnfinishedImports, 'without'>;
  log: Logger;
}

/** Where a walk is: after which account, kind and object it goes on. */
type Position = Pick<SearchProgress, 'account' | 'kind' | 'key'>;

/**
 * Makes findable what was there before the index, or came by an import, in small steps; how far it has come is
 * written down after each, so that any process goes on where one has died. It also seals what has waited for long.
 */
export class EarlierObjects {
  readonly #parts: Parts;
  readonly #sweeper: Sweeper;
  #isStopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#sweeper = new Sweeper({
      sweep: () => this.sweep(),
      every: SWEEP_EVERY_MS,
      log: parts.log,
      failed: 'making earlier objects findable waits for the database',
    });
  }

  start(): void {
    this.#sweeper.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#sweeper.stop();
  }

  /** An account is being imported: all that it has is to be gone through, by whichever process runs. */
  async request(account: string): Promise<void> {
    const begin = { account, is_done: false, leased_until: NEVER };
    await this.#parts.progress.updateOne(
      { _id: account },
      { $set: begin, $unset: { kind: 1, key: 1 } },
      { upsert: true },
    );
  }

  /** Goes on until nothing is left, as far as no other process is at it. */
  async sweep(now = new Date()): Promise<void> {
    const { progress, segments, sealing, log } = this.#parts;
    await progress
      .updateOne({ _id: ALL }, { $setOnInsert: { is_done: false, leased_until: NEVER } }, { upsert: true })
      .catch((error) => {
        if (!duplicateFields(error)) throw error;
      });
    const before = new Date(now.getTime() - SEALED_AFTER_MS);
    for (const failed: string[] = []; !this.#isStopped; ) {
      const place = await segments.oldestFresh(before, failed);
      if (!place) break;
      const { account } = place;
      await sealing.seal(place).catch((error) => {
        failed.push(account);
        log.error({ err: error, account }, 'what can be searched waits: sealing it failed');
      });
    }
    while (!this.#isStopped) {
      const own = await this.#claim();
      if (!own) return;
      // Its lease runs out before it is tried again, so that it keeps no other back.
      await this.#walk(own).catch((error) =>
        log.error({ err: error, account: own.account }, 'earlier objects of an account are not findable yet'),
      );
    }
  }

  /** A walk that nobody is at. */
  async #claim(): Promise<SearchProgress | undefined> {
    const free = { is_done: false, ...hasCome('leased_until', new Date(), LEASE_MS) };
    // Of an import that is refused no word stays.
    const [found] = await this.#parts.unfinishedImports.without<SearchProgress & { account: string }>(
      (others) =>
        this.#parts.progress
          .find({ ...free, ...others })
          .limit(1)
          .lean<(SearchProgress & { account: string })[]>()
          .exec(),
    );
    if (!found) return undefined;
    const same = { _id: found._id, leased_until: found.leased_until };
    const leased_until = new Date(Date.now() + LEASE_MS);
    const { matchedCount } = await this.#parts.progress.updateOne(same, { $set: { leased_until } });
    return matchedCount === 1 ? { ...found, leased_until } : this.#claim();
  }

  async #walk({ _id, leased_until, ...from }: SearchProgress): Promise<void> {
    let position: Position = from;
    for (let lease = leased_until; !this.#isStopped; await sleep(PAUSE_MS)) {
      const next = await this.#step(_id, position);
      const until = next ? new Date(Date.now() + LEASE_MS) : NEVER;
      if (!(await this.#save(_id, lease, until, next)) || !next) return;
      position = next;
      lease = until;
      if (this.#isStopped) await this.#save(_id, lease, NEVER, position);
    }
  }

  /** @returns whether the lease was still this process's */
  async #save(_id: string, lease: Date, leased_until: Date, next: Position | undefined): Promise<boolean> {
    if (!next && _id !== ALL) {
      await this.#parts.progress.deleteOne({ _id, leased_until: lease });
      return false;
    }
    const { account, kind, key } = next ?? {};
    const place = { account, kind, key };
    const { matchedCount } = await this.#parts.progress.collection.updateOne(
      { _id: _id as never, leased_until: lease },
      {
        $set: { leased_until, is_done: !next, ...definedOf(place) },
        $unset: undefinedOf(place),
      } as never,
    );
    return matchedCount === 1;
  }

  /** @returns where to go on; undefined at the end */
  async #step(_id: string, position: Position): Promise<Position | undefined> {
    const { account } = position;
    if (account === undefined) return this.#nextAccount(undefined);
    try {
      const next = await this.#stepIn(account, position);
      return next ?? (_id === ALL ? this.#nextAccount(account) : undefined);
    } catch (error) {
      if (_id !== ALL) throw error;
      // It goes on by itself, and the others do without it; where the database is gone, this fails as well.
      await this.request(account);
      this.#parts.log.error({ err: error, account }, 'earlier objects of an account are not findable yet');
      return this.#nextAccount(account);
    }
  }

  /** @returns where to go on in an account; undefined at its end */
  async #stepIn(account: string, { kind, key }: Position): Promise<Position | undefined> {
    const { sources } = this.#parts;
    const source = sources.find((one) => one.kind === kind) ?? sources[0];
    if (!source) return undefined;
    const read = await source.readOlder(account, key === undefined ? undefined : placeOfText(key));
    const found = read.filter(isTimed);
    await this.#add({ account, kind: source.kind }, source, found);
    const last = found.at(-1);
    if (last) {
      const reached = placeToText(last);
      if (reached === key) throw new Error(`the ${source.kind} ${last.uuid} is read over and over`);
      return { account, kind: source.kind, key: reached };
    }
    const next = sources[sources.indexOf(source) + 1];
    return next && { account, kind: next.kind };
  }

  async #nextAccount(account: string | undefined): Promise<Position | undefined> {
    const [next] = await this.#parts.accounts
      .find(account === undefined ? {} : { _id: { $gt: account } }, { _id: 1 })
      .sort({ _id: 1 })
      .limit(1)
      .lean();
    return next && { account: next._id };
  }

  /** Afterwards it is looked whether they are still there: an erasure that came between has not seen the lines. */
  async #add(place: SegmentPlace, source: SearchSource, found: readonly SearchObject[]): Promise<void> {
    const { sealing, segments } = this.#parts;
    const lines = await linesOf(found, place.account);
    await sealing.add(place, lines);
    const uuids = lines.map(({ key }) => uuidOfKey(key));
    const left = source.fixed
      ? await source.fixed.existing(place.account, uuids)
      : new Set((await source.read(place.account, uuids)).map(({ uuid }) => uuid));
    for (const { key, subjects } of lines) {
      if (left.has(uuidOfKey(key))) continue;
      for (const subject of subjects) await segments.removeOf(subject, (line) => line.key === key);
    }
  }
}

type Fields = Record<string, string | undefined>;

const definedOf = (fields: Fields): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const undefinedOf = (fields: Fields): object =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [[name, 1]] : [])),
  );
