import { signal } from '@preact/signals';
import { expect, test } from 'vitest';
import type { OutItem } from '../transport/queue.ts';
import type { Conversation } from './conversation.ts';
import { createMessageLog } from './message-log.ts';

const said = {
  uuid: 'uuid',
  body: 'Hello',
  is_support_sender: false,
  sent_at: '2026-11-21T09:00:00.000+00:00',
};
const queued: OutItem = { id: 'key', kind: 'message', at: 1, data: { body: 'Hello' } };

const logOf = (item: OutItem) => {
  const items = signal([item]);
  return { items, log: createMessageLog({ items, emit: () => {} } as unknown as Conversation, () => {}) };
};

test('what may be on its way is not shown twice', () => {
  const { log, items } = logOf(queued);
  log.receive([said], true);
  expect(log.messages.peek()).toEqual([]);
  items.value = [{ ...queued, sent: said }];
  expect(log.takeAcknowledged()).toBe(true);
  expect(log.messages.peek().map(({ uuid }) => uuid)).toEqual(['uuid']);
});

test('what was refused is no doubt about the same words that another tab has sent', () => {
  const { log } = logOf({ ...queued, refused: { reason: 'Not here.', fields: {} } });
  log.receive([said], true);
  expect(log.messages.peek()).toEqual([said]);
  expect(log.takeAcknowledged()).toBe(false);
});
