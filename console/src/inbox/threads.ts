import type { ServerFrame } from '@parlor/shared';
import type { Thread } from './thread.ts';

let current: Thread | undefined;

/** The conversation that is open, for what the live channel tells. */
export const threads = {
  /** @returns what closes it */
  open(thread: Thread): () => void {
    current = thread;
    return () => {
      if (current === thread) current = undefined;
    };
  },
  take(frame: ServerFrame): void {
    current?.take(frame);
  },
  readAnew(): void {
    void current?.stretch.refresh();
  },
};
