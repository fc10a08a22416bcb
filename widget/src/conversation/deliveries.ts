import { warn } from '../platform/warn.ts';
import type { Waiting } from '../transport/outbox.ts';
import type { OutItem } from '../transport/queue.ts';
import { type Conversation, FIELDS } from './conversation.ts';

/** What the page told wrongly is forgotten; what the visitor entered, the form shows again. */
function refuseLead(conversation: Conversation, { id, byForm, refused }: OutItem): void {
  conversation.store.remove('lead');
  const bad = FIELDS.filter(([, , api]) => refused?.fields[api]);
  if (bad.length && byForm) return;
  conversation.queue.remove(id);
  if (!bad.length) return;
  warn('setVisitor was given what the server does not take:', refused?.fields);
  const left = { ...conversation.visitor.value };
  for (const [name] of bad) delete left[name];
  conversation.keepVisitor(left);
  conversation.queueLead();
}

/**
 * What follows from each item that the server took or refused: what the visitor sees, and what the page hears.
 *
 * @param acknowledged told after each message that has arrived
 */
export function noteDelivery(
  conversation: Conversation,
  acknowledged: () => void,
  waiting: Waiting,
  item?: OutItem,
): void {
  conversation.waiting.value = waiting;
  const lead = item?.kind === 'lead';
  if (item?.kind === 'person') conversation.queue.remove(item.id);
  if (lead && item.refused) refuseLead(conversation, item);
  conversation.readItems();
  if (!item) return;
  if (!item.sent) {
    conversation.emit('error', item.refused?.reason);
  } else if (lead) conversation.emit('lead', conversation.visitor.value);
  else if (item.kind === 'message') {
    conversation.emit('message:sent', { uuid: item.sent.uuid, body: item.data.body ?? '' });
    acknowledged();
  }
}
