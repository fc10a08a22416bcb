import { signal } from '@preact/signals';

/**
 * Why a file that is loaded when it is wanted is not here: the server can't be reached, it has other files since an update, or
 * it is there and the file still does not come.
 */
export type Lack = 'unreachable' | 'updated' | 'broken';

/** What was tried in vain. */
export class ChunkError extends Error {
  override name = 'ChunkError';
  readonly lack: Lack;

  constructor(lack: Lack, cause: unknown) {
    super(`not loaded: ${lack}`, { cause });
    this.lack = lack;
  }
}

/** The pauses between tries, each up to half as long again, so that not all come back at once (milliseconds). */
const PAUSES_MS = [400, 1_200, 3_000];

/** How long the server may take to say which files it has (milliseconds). */
const PATIENCE_MS = 10_000;

/** Resolves when the time is over, or sooner where the network has come back. */
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds * (1 + Math.random() / 2));
    addEventListener('online', end);
  });

/** The script that a page of the console begins with: its name changes with whatever is built anew. */
const ENTRY = /\/console\/assets\/index-[\w-]+\.js/;

const lackNow = async (): Promise<Lack> => {
  try {
    const answer = await fetch('/console/', { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE_MS) });
    const entry = answer.ok ? ENTRY.exec(await answer.text())?.[0] : undefined;
    // Something in between has answered, such as a proxy whose server is away.
    if (entry === undefined) return 'unreachable';
    return document.querySelector(`script[src="${entry}"]`) ? 'broken' : 'updated';
  } catch {
    return 'unreachable';
  }
};

type Load = () => Promise<unknown>;

/** The styles that did not come with a file. Vite's loader asks for each of them once, and does without from then on. */
const lostStyles = new WeakMap<Load, Set<string>>();

/** Keeps which styles do not come while a file is loaded. @returns what ends that */
const watchStyles = (load: Load): (() => void) => {
  const lost = lostStyles.get(load) ?? new Set();
  lostStyles.set(load, lost);
  const onError = ({ target }: Event) => {
    if (!(target instanceof HTMLLinkElement)) return;
    target.remove();
    if (target.rel === 'stylesheet') lost.add(target.href);
  };
  document.addEventListener('error', onError, { capture: true });
  return () => document.removeEventListener('error', onError, { capture: true });
};

const loadStyle = (lost: Set<string>, href: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = href;
    link.onload = () => {
      lost.delete(href);
      resolve();
    };
    link.onerror = () => reject(new Error(`${href} did not load.`));
    document.head.append(link);
  });

/** Loads a file with all its styles. */
const loadWhole = async <T>(load: () => Promise<T>): Promise<T> => {
  const end = watchStyles(load);
  try {
    const lost = lostStyles.get(load) ?? new Set();
    await Promise.all([...lost].map((href) => loadStyle(lost, href)));
    return await load();
  } finally {
    end();
  }
};

/**
 * Loads a file that is not needed from the beginning, with retries and backoff.
 * @param load imports it; the same function each time
 * @param onDelay called where it did not come at once
 * @throws ChunkError
 */
export const loadChunk = async <T>(load: () => Promise<T>, onDelay?: () => void): Promise<T> => {
  for (let tries = 0; ; tries++) {
    try {
      return await loadWhole(load);
    } catch (error) {
      if (tries === 0) onDelay?.();
      const lack = await lackNow();
      const wait = PAUSES_MS[tries];
      if (lack === 'updated' || wait === undefined) throw new ChunkError(lack, error);
      await pause(wait);
    }
  }
};

/** How many pages are waited for that did not come at once. */
export const awaited = signal(0);

/** `loadChunk` for a page, which somebody waits for. @throws ChunkError */
export const loadPage = async <T>(load: () => Promise<T>): Promise<T> => {
  let isLate = false;
  const onDelay = () => {
    isLate = true;
    awaited.value++;
  };
  try {
    return await loadChunk(load, onDelay);
  } finally {
    if (isLate) awaited.value--;
  }
};

/** Something that is not here though it was wanted. */
export interface Lacking {
  lack: Lack;
  again(): void;
}

/** What is lacking and has no place of its own where that could be said. */
export const lacking = signal<readonly Lacking[]>([]);

/** `loadChunk` for what the page does without meanwhile; where it does not come, that is said (shell/lacking.tsx). */
export const want = async <T>(load: () => Promise<T>, take: (loaded: T) => void): Promise<void> => {
  try {
    take(await loadChunk(load));
  } catch (error) {
    if (!(error instanceof ChunkError)) throw error;
    const { lack } = error;
    const one: Lacking = {
      lack,
      again() {
        lacking.value = lacking.value.filter((other) => other !== one);
        void want(load, take);
      },
    };
    lacking.value = [...lacking.value, one];
  }
};
