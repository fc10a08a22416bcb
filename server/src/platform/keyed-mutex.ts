import { throttled } from './errors.ts';

/** More messages than this don't wait for one conversation; nobody writes so fast. */
const MAX_WAITING = 20;
const RETRY_AFTER_MS = 5_000;

/** Runs tasks of the same name one after the other, those of different names side by side. */
export class KeyedMutex {
  readonly #maxWaiting: number;
  readonly #last = new Map<string, { done: Promise<unknown>; waiting: number }>();

  constructor(maxWaiting = MAX_WAITING) {
    this.#maxWaiting = maxWaiting;
  }

  /** @throws ParlorError `throttled` when too many wait. */
  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const waiting = (before?.waiting ?? 0) + 1;
    if (waiting > this.#maxWaiting) throw throttled(RETRY_AFTER_MS);
    const done = (before?.done ?? Promise.resolve()).then(task, task);
    const entry = { done, waiting };
    this.#last.set(name, entry);
    try {
      return await done;
    } finally {
      const last = this.#last.get(name);
      if (last === entry) this.#last.delete(name);
      else if (last) last.waiting -= 1;
    }
  }
}
