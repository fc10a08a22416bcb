import { signal } from '@preact/signals';
import type { Store } from '../platform/storage.ts';

/** What is known of the room beside its messages: how far either side has read, who answers, the visitor's stars. */
export function createRoom(store: Store) {
  const readUpTo = signal('');
  const seenUpTo = signal('');
  const botLeft = signal(false);
  const rating = signal(0);

  const room = {
    /** The time (ISO) up to which the visitor has read. */
    readUpTo,
    /** The time (ISO) up to which the other side has read. */
    seenUpTo,
    /** True once a person has taken over from the bot, or was asked to. */
    botLeft,
    /** 1 to 5 stars; 0 without. */
    rating,
    leaveBot(left: boolean): void {
      botLeft.value = left;
      store.set('person', left);
    },
    readTo(sentAt: string): void {
      if (sentAt <= readUpTo.peek()) return;
      readUpTo.value = sentAt;
      store.set('read', sentAt);
    },
    seenTo(sentAt: string): void {
      if (sentAt > seenUpTo.peek()) seenUpTo.value = sentAt;
    },
    /** What another tab has written. */
    readStore(): void {
      readUpTo.value = store.get('read') ?? '';
      rating.value = store.get('rating') ?? 0;
      botLeft.value = !!store.get('person');
    },
  };
  room.readStore();
  return room;
}
