/** For a process that works in one piece, and sees only afterwards that nobody waits for it any more. */
import { Worker } from 'node:worker_threads';

const LOOK_EACH_MS = 200;

/** Ends this process soon after the one that has started it, in the middle of whatever it does. On Windows the system does. */
export function endWithParent(): void {
  const end = "process.kill(process.pid, 'SIGKILL')";
  const look = `setInterval(() => process.ppid === ${process.ppid} || ${end}, ${LOOK_EACH_MS})`;
  new Worker(look, { eval: true }).unref();
}
