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

/** Whether something asks the disk: process.exit waits for that, too. */
const asksDisk = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));

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
  if (first.size === 0 && !asksDisk()) process.exit(code);
  setTimeout(kill, END_WITHIN_MS);
  void Promise.allSettled([...first].map((end) => end())).then(() => {
    setInterval(() => {
      if (!asksDisk()) process.exit(code);
    }, LOOK_EVERY_MS);
  });
};
