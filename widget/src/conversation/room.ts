import { signal } from '@preact/signals';
import type { Store } from '../platform/storage.ts';
import type { Sessions } from '../transport/session.ts';

/** The visitor's stars, and for which room. */
interface Rating {
  room: string | undefined;
  stars: number;
}

/** What is known of the room beside its messages: how far either side has read, who answers, the visitor's stars. */
export function createRoom(store: Store, { current }: Pick<Sessions, 'current'>) {
  const readUpTo = signal('');
  const seenUpTo = signal('');
  const botLeft = signal('');
  const rating = signal<Rating | undefined>(undefined);
  const uuid = () => current()?.room.uuid;

  const room = {
    /** The time (ISO) up to which the visitor has read. */
    readUpTo,
    /** The time (ISO) up to which the other side has read. */
    seenUpTo,
    /** The time (ISO) of the last thing heard when a person took over from the bot, or was asked to. A bot that says
     *  something later answers again: in a new conversation, or since a member wants it to. */
    botLeft,
    leaveBot(heardAt: string): void {
      botLeft.value = heardAt;
      store.set('left', heardAt);
    },
    /** 1 to 5 stars for this conversation; 0 without. */
    stars: () => (rating.value?.room === uuid() && rating.value?.stars) || 0,
    rate(stars: number): void {
      rating.value = { room: uuid(), stars };
      store.set('rating', rating.value);
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
      rating.value = store.get('rating');
      botLeft.value = store.get('left') ?? '';
    },
  };
  room.readStore();
  return room;
}
