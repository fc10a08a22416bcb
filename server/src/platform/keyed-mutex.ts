import { throttled } from './errors.ts';

/** More messages than this don't wait for one conversation; nobody writes so fast. */
const MAX_WAITING = 20;
const RETRY_AFTER_MS = 5_000;

/** Those who wait for one that runs, each to begin, or to be refused. */
type Line = { begin(): void; refuse(reason: unknown): void }[];

interface Options {
  /** Of one name, the one that runs among them. */
  maxWaiting?: number;
  /** Whether what a task failed with would fail all behind it, one after the other: they are refused with it. */
  endsAll?: (error: unknown) => boolean;
}

/** Runs tasks of the same name one after the other, those of different names side by side. */
export class KeyedMutex {
  readonly #maxWaiting: number;
  readonly #endsAll: (error: unknown) => boolean;
  readonly #lines = new Map<string, Line>();

  constructor({ maxWaiting = MAX_WAITING, endsAll = () => false }: Options = {}) {
    this.#maxWaiting = maxWaiting;
    this.#endsAll = endsAll;
  }

  /** @throws ParlorError `throttled` when too many wait; what a task before failed with, where that ends all */
  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(name);
    if ((line?.length ?? -1) + 2 > this.#maxWaiting) throw throttled(RETRY_AFTER_MS);
    if (line) await new Promise<void>((begin, refuse) => line.push({ begin, refuse }));
    else this.#lines.set(name, []);
    try {
      return await task();
    } catch (error) {
      if (this.#endsAll(error)) for (const one of this.#lines.get(name)?.splice(0) ?? []) one.refuse(error);
      throw error;
    } finally {
      const next = this.#lines.get(name)?.shift();
      if (next) next.begin();
      else this.#lines.delete(name);
    }
  }
}
