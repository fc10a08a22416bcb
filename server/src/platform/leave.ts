/** How long what has to end before the process may take, once it was told to. */
const END_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 10;

const first = new Set<() => Promise<unknown>>();
let isLeaving = false;

/**
 * Says what has to end before the process can exit, such as a thread: process.exit waits for it, without an end where it
 * hangs inside of the system, as on a disk that does not answer.
 * @returns what says that it has ended
 */
export const endBeforeLeaving = (end: () => Promise<unknown>): (() => void) => {
  first.add(end);
  return () => first.delete(end);
};

/** How many of `holdingExit` are under way. */
let unlisted = 0;

/**
 * Does what process.exit waits for, and Node.js does not list as active: work of a native module in a thread of libuv's pool.
 * Once the process is leaving nothing of that is begun any more.
 */
export const holdingExit = async <T>(work: () => Promise<T>): Promise<T> => {
  if (isLeaving) return new Promise(() => undefined);
  unlisted++;
  try {
    return await work();
  } finally {
    unlisted--;
  }
};

/** How Node.js lists what asks the disk, or a resolver of names: the pool has that, too. */
const POOLED = /^(FSReq|GetAddrInfoReq|GetNameInfoReq)/;

/** Whether process.exit would wait for a thread of the pool, which nothing can break off. */
const isHeld = (): boolean =>
  unlisted > 0 || process.getActiveResourcesInfo().some((name) => POOLED.test(name));

/** Ends the process in the middle of whatever its threads do. */
const kill = (): never => {
  process.emit('exit', 1);
  process.kill(process.pid, 'SIGKILL');
  // The first process of a container is not killed by signals of its own: this ends with a trap.
  process.abort();
};

/** Ends the process with a code; by SIGKILL where it can't end by itself. Whatever runs meanwhile is left. */
export const leave = (code: number): void => {
  if (isLeaving) return;
  isLeaving = true;
  if (first.size === 0 && !isHeld()) process.exit(code);
  setTimeout(kill, END_WITHIN_MS);
  void Promise.allSettled([...first].map((end) => end())).then(() => {
    setInterval(() => {
      if (!isHeld()) process.exit(code);
    }, LOOK_EVERY_MS);
  });
};
