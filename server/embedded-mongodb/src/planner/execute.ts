/** Runs a plan: a stream of records, read from LMDB as they are asked for. */

import type { HeldMemory } from '../limits/memory.ts';
import type { Environment } from '../storage/environment.ts';
import { idPrefix } from '../storage/id-key.ts';
import { after } from '../storage/key-space.ts';
import type { RangeScan } from '../storage/range-scan.ts';
import type { IndexAccess } from './index-access.ts';
import { rangesOf } from './key-ranges.ts';
import type { Plan } from './plan.ts';
import { SeenRecords } from './seen-records.ts';

/** A stored document that a plan came upon. */
export interface Hit {
  record: Buffer;
  raw: Buffer;
}

/** What a plan gives instead of a document where it has looked at a key or a range in vain, for its reader to count. */
export type Step = undefined;

/** What a plan has looked at so far: explain's executionStats. */
export interface Effort {
  keysExamined: number;
  docsExamined: number;
}

interface Source {
  scan: RangeScan;
  access: IndexAccess;
  /** Where in the key the part begins that the order counts by. */
  offset: number;
}

/**
 * The records of a plan in its order, not yet matched or sorted. Endures being left for a while (see RangeScan).
 * @param memory counts which records have come up, where one may come up again
 */
export function* runPlan(
  environment: Environment,
  plan: Plan,
  effort: Effort,
  memory: HeldMemory,
): Generator<Hit | Step, void, void> {
  if (plan.accesses.length === 0) {
    yield* scanRecords(environment, plan, effort);
    return;
  }
  const collectionPrefix = idPrefix(plan.collection.id);
  const mayRepeat = plan.accesses.some((access) => access.mayRepeat);
  const seen = mayRepeat ? new SeenRecords(memory) : undefined;
  const entries = mustMerge(plan)
    ? merged(openSources(environment, plan), plan)
    : concatenated(environment, plan);
  for (const source of entries) {
    if (!source) {
      yield undefined;
      continue;
    }
    const { scan, access } = source;
    effort.keysExamined++;
    if (access.index.id === 0) {
      const isNew = !seen?.has(scan.key.subarray(4));
      if (isNew) effort.docsExamined++;
      yield isNew ? { record: scan.key, raw: scan.value } : undefined;
      continue;
    }
    const id = scan.key.subarray(scan.value.readUInt16BE(0));
    if (seen?.has(id)) {
      yield undefined;
      continue;
    }
    const record = Buffer.concat([collectionPrefix, id]);
    const raw = environment.records.getBinary(record);
    effort.docsExamined++;
    yield raw && { record, raw };
  }
}

function* scanRecords(
  environment: Environment,
  plan: Plan,
  effort: Effort,
): Generator<Hit | Step, void, void> {
  const prefix = idPrefix(plan.collection.id);
  const scan = environment.scan(environment.records, prefix, after(prefix), plan.order?.reverse ?? false);
  try {
    while (scan.next()) {
      effort.docsExamined++;
      yield { record: scan.key, raw: scan.value };
    }
  } finally {
    scan.close();
  }
}

function mustMerge(plan: Plan): boolean {
  if (!plan.order) return false;
  if (plan.accesses.length > 1) return true;
  return plan.order.from > 0 && (plan.accesses[0] as IndexAccess).ranges.length > 1;
}

/** The sources of a plan's ranges, one after the other; and a step for each, as most may hold nothing. */
function* concatenated(environment: Environment, plan: Plan): Generator<Source | Step, void, void> {
  const reverse = plan.order?.reverse ?? false;
  for (const access of plan.accesses) {
    for (const range of rangesOf(access.ranges, reverse)) {
      const space = access.index.id === 0 ? environment.records : environment.entries;
      const source = { scan: environment.scan(space, range.low, range.high, reverse), access, offset: 0 };
      try {
        while (source.scan.next()) yield source;
      } finally {
        source.scan.close();
      }
      yield undefined;
    }
  }
}

function openSources(environment: Environment, plan: Plan): Source[] {
  const { reverse, from } = plan.order ?? { reverse: false, from: 0 };
  return plan.accesses.flatMap((access) =>
    [...rangesOf(access.ranges)].map((range) => ({
      scan: environment.scan(
        access.index.id === 0 ? environment.records : environment.entries,
        range.low,
        range.high,
        reverse,
      ),
      access,
      offset: range.offsets[from] as number,
    })),
  );
}

/** Merges sources that are each in order, by the part of their keys that the order counts by. */
function* merged(sources: Source[], plan: Plan): Generator<Source, void, void> {
  const sign = plan.order?.reverse ? -1 : 1;
  let open = sources.filter((source) => source.scan.next());
  try {
    while (open.length > 0) {
      let first = open[0] as Source;
      for (const other of open) if (sign * compareFromOffset(other, first) < 0) first = other;
      yield first;
      if (!first.scan.next()) open = open.filter((source) => source !== first);
    }
  } finally {
    for (const source of sources) source.scan.close();
  }
}

function compareFromOffset(a: Source, b: Source): number {
  return a.scan.key.compare(b.scan.key, b.offset, b.scan.key.length, a.offset, a.scan.key.length);
}
