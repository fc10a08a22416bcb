import type { ServerFrame } from '@parlor/shared';
import type { Item } from './stretch.ts';
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
  /** Whether a conversation is open, at its end. */
  isAtEnd(room: string): boolean {
    return current?.room === room && current.stretch.isLive.value;
  },
  take(frame: ServerFrame): void {
    current?.take(frame);
  },
  /** Something was said in a conversation, which may be the one that is open. */
  tell(room: string, item: Item): void {
    if (current?.room === room) current.stretch.tell(item);
  },
  readAnew(): void {
    void current?.stretch.refresh();
  },
};
