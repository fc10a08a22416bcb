import { computed, effect } from '@preact/signals';
import { createLiveChannel } from '../transport/live-channel.ts';
import { createSender } from '../transport/sender.ts';
import type { Conversation } from './conversation.ts';
import { noteDelivery } from './deliveries.ts';
import { createMessageLog } from './message-log.ts';
import { createRoom } from './room.ts';
import { createSync } from './sync.ts';

export type History = ReturnType<typeof createHistory>;

/** What was said, by both sides, and the channels it comes over. `heard` is told of each new message of the
 *  other side. */
export function createHistory(
  conversation: Conversation,
  locale: () => string,
  heard: (body: string) => void,
) {
  const { queue, store, server } = conversation;
  const acknowledged = () => live.acknowledged();
  const sender = createSender({
    ...conversation,
    locale,
    changed: (waiting, item) => {
      noteDelivery(conversation, acknowledged, waiting, item);
      // Until now the bot may have gone on.
      if (item?.kind === 'person') leaveBot(!!item.sent);
    },
  });
  conversation.onQueued = sender.flush;
  const { sessions, ask } = sender;
  const log = createMessageLog(conversation, heard);
  const { messages, keys, typing } = log;
  const room = createRoom(store, sessions);
  const { readUpTo, seenUpTo, stars, botLeft } = room;
  const reader = createSync(conversation, sender, log);
  const { sync, loading, older, loadOlder } = reader;
  const unread = computed(
    () =>
      messages.value.filter((message) => message.is_support_sender && message.sent_at > readUpTo.value)
        .length,
  );

  const lastHeard = () => messages.peek().findLast((message) => message.is_support_sender);
  const leaveBot = (left: boolean) => room.leaveBot((left && lastHeard()?.sent_at) || '');

  const unfollow = effect(() => {
    if (log.takeAcknowledged()) sync();
  });

  const live = createLiveChannel({
    server,
    sessions,
    sync,
    receive: reader.receive,
    typing: (on) => {
      typing.value = on;
    },
    seen: room.seenTo,
    readElsewhere: room.readTo,
    room: (changed) => {
      if (changed.rating !== undefined) room.rate(changed.rating ?? 0);
      if (changed.is_bot_use !== undefined) leaveBot(!changed.is_bot_use);
    },
  });
  conversation.onTyping = live.typing;
  // Beside the live channel, not after it: that may never be ready.
  sync();

  return {
    keys,
    messages,
    loading,
    older,
    seenUpTo,
    typing,
    stars,
    botLeft,
    unread,
    sync,
    loadOlder,
    /** Deletes all that the visitor wrote from the server; throws a `Refusal` when that could not be done. */
    async erase(): Promise<void> {
      // The server ends the session first, and erases then: whoever asks it meanwhile is told that it knows nobody.
      live.rest();
      await reader.rest();
      await sender.erase().catch((refusal) => {
        live.wake();
        throw refusal;
      });
    },
    wake(): void {
      sender.flush();
      live.wake();
    },
    /** Asks for a person: the bot falls silent, and whoever answers reads why. */
    wantPerson(text: string): void {
      leaveBot(true);
      queue.add('person', {});
      conversation.send(text);
    },
    /** Marks what the other side said as read, in every tab and at the server. */
    read(): void {
      const last = lastHeard();
      if (!last || last.sent_at <= readUpTo.peek()) return;
      room.readTo(last.sent_at);
      live.read(last.uuid);
    },
    /** 1 to 5 stars; throws a `Refusal`. */
    async rate(stars: number): Promise<void> {
      const { label } = (await sessions.ensure()).room;
      await ask(`rooms/${label}/`, { method: 'PATCH', body: { rating: stars } });
      room.rate(stars);
      conversation.emit('rating', stars);
    },
    /** Another tab wrote; `sent`: it has read a sent message back from the server, and keeps it no longer. */
    readStore(sent: boolean): void {
      room.readStore();
      if (sent) live.acknowledged();
    },
    stop(): void {
      reader.stop();
      unfollow();
      sender.stop();
      conversation.onQueued = undefined;
      conversation.waiting.value = '';
      live.stop();
      conversation.onTyping = undefined;
    },
  };
}
