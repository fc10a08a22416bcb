import { ImportError } from './import-lines.ts';
import { QUOTAS } from './quotas.ts';

/** An account may have more than its quota: of before there were quotas, or where clocks of servers went apart. */
const TIMES_QUOTA = 2;

/** As many as there are of what has no quota, and is read as a whole: versions of workflows, members who are gone. */
const OTHERS = { graphs: 6_000, releases: 1_000 } as const;

/** The most objects of a kind that a file may hold; undefined where there is no end. */
const mostOf = (kind: string): number | undefined => {
  if (kind in QUOTAS) return TIMES_QUOTA * QUOTAS[kind as keyof typeof QUOTAS];
  return OTHERS[kind as keyof typeof OTHERS];
};

/** Sees to it that a file holds no more objects than an account can have: all of them are at work for each of its events. */
export class ImportQuotas {
  readonly #ids = new Map<string, Set<string>>();

  /** One more, unless it came before. @throws ImportError where it is one too many */
  count(kind: string, id: string, line: number): void {
    const most = mostOf(kind);
    if (most === undefined) return;
    const ids = this.#ids.get(kind) ?? new Set<string>();
    this.#ids.set(kind, ids.add(id));
    if (ids.size > most) throw new ImportError(`line ${line}: more than ${most} ${kind}`);
  }
}
