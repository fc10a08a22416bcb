/** Copies a data directory that is open. */
import { COPY_PROCESS, COPY_PROTOCOL, type CopyMessage } from '../storage/copy-process.ts';
import { runModule } from './child-process.ts';

/** How long the process that copies may take to start, on a machine that has much else to do. */
const STARTING_MS = 60_000;

/** How long writes wait for the process that copies to open the directory, which takes it some milliseconds. */
const OPENING_MS = 5_000;

/** Has nobody write into the directory until what it gives is called. */
export type HoldWrites = () => Promise<() => void>;

const nobodyWrites: HoldWrites = async () => () => {};

/**
 * Copies the newest state of a data directory, which this process has open, into a directory that is there and empty. Writing
 * goes on meanwhile, but for the moment in which another process opens the directory (see storage/claim.ts): `holdWrites`
 * keeps it away, where there is any. Every write that was acknowledged before is in the copy. Fails where it can't be written,
 * and with the signal's reason; what there is of the copy is of no use then.
 */
export async function copyDataDir(
  dataDir: string,
  directory: string,
  { holdWrites = nobodyWrites, signal }: { holdWrites?: HoldWrites; signal?: AbortSignal } = {},
): Promise<void> {
  let failure: string | undefined;
  let hasEnded = false;
  let held: Promise<() => void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const late = new AbortController();
  const expect = (what: string, ms: number) => {
    clearTimeout(timer);
    const why = new Error(`the process that copies ${dataDir} did not ${what} within ${ms / 1000} s`);
    timer = setTimeout(() => late.abort(why), ms);
  };
  const goOn = async () => {
    clearTimeout(timer);
    const release = await held;
    held = undefined;
    release?.();
  };
  const hear = (message: CopyMessage, answer: (message: string) => void) => {
    if (message === 'ready') {
      held = holdWrites();
      void held.then(() => {
        expect('open it', OPENING_MS);
        answer('open');
      });
    } else if (message === 'opened') {
      void goOn();
    } else {
      hasEnded = true;
      failure = message.error;
    }
  };
  expect('start', STARTING_MS);
  try {
    const until = AbortSignal.any([late.signal, ...(signal ? [signal] : [])]);
    const how = await runModule(COPY_PROCESS, [dataDir, directory, COPY_PROTOCOL], hear, until);
    if (!hasEnded) throw new Error(`the process that copies ended with ${how}`);
    if (failure !== undefined) throw new Error(failure);
  } finally {
    // Not before it has ended: killed while it opens the directory, it may be about to.
    await goOn();
  }
}
