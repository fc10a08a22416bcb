import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Collects what nothing refers to. A weak reference that was just made or read keeps its object to the end of the turn. */
export const collectGarbage = async (): Promise<void> => {
  await sleep(1);
  gc();
};
