import { batch, signal } from '@preact/signals';
import type { KnownMessage } from '../contract/server.ts';
import type { Conversation } from './conversation.ts';
import { merge } from './timeline.ts';

export type MessageLog = ReturnType<typeof createMessageLog>;

/** The messages of both sides that are known. `heard` is told of each new one of the other side. */
export function createMessageLog({ items, emit }: Conversation, heard: (body: string) => void) {
  const keys = new Map<string, string>();
  const messages = signal<readonly KnownMessage[]>([]);
  const typing = signal(false);
  /** What the other side has just said, until the page is told of it. */
  const news: KnownMessage[] = [];
  /** Whether an own message was left out, since it may be what a request still under way has made. */
  let skipped = false;

  return {
    /** The queue's id for each own message that this browser sent, by uuid. */
    keys,
    /** In the order in which they were said. */
    messages,
    /** Whether the other side is writing. */
    typing,
    /** Takes messages in; an own one that may be what a request still under way has made waits for its answer. */
    receive(incoming: readonly KnownMessage[], isNews: boolean): void {
      const pending = new Set(
        items.peek().map((item) => !item.sent && !item.refused && item.data.body?.normalize()),
      );
      const known = messages.peek();
      batch(() => {
        const taken = incoming.filter((message) => {
          const doubtful = !message.is_support_sender && !keys.has(message.uuid) && pending.has(message.body);
          skipped ||= doubtful;
          return !doubtful;
        });
        messages.value = merge(known, taken);
        if (taken.some((message) => message.is_support_sender)) typing.value = false;
      });
      if (!isNews) return;
      const ids = new Set(known.map((message) => message.uuid));
      news.push(...incoming.filter((message) => message.is_support_sender && !ids.has(message.uuid)));
    },
    forgetBefore(sentAt: string): void {
      messages.value = messages.peek().filter((message) => message.sent_at >= sentAt);
    },
    /** Tells of what is new, in the order in which it was said. */
    announce(): void {
      for (const { uuid, body } of merge([], news.splice(0))) {
        emit('message:received', { uuid, body });
        heard(body);
      }
    },
    /** Takes in what the queue's items have become; true where messages that were left out can be read now. */
    takeAcknowledged(): boolean {
      let busy = false;
      for (const { id, kind, sent, refused, data } of items.value) {
        if (!sent) busy ||= !refused;
        else if (kind === 'message') {
          keys.set(sent.uuid, id);
          messages.value = merge(messages.peek(), [
            { ...sent, body: data.body ?? '', is_support_sender: false },
          ]);
        }
      }
      if (!skipped || busy) return false;
      skipped = false;
      return true;
    },
  };
}
