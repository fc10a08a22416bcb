import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { newEvent } from '../../events/events.ts';
import { READ_TOGETHER } from './notifications.service.ts';

const app = testApp({ KEYWORD_NOTIFICATIONS_PER_DAY: '0' });

const ACCOUNTS = 3;
const MESSAGES_OF_EACH = 2 * READ_TOGETHER + 10;

/** A customer's message in a conversation of its own. */
const said = (account: string) => {
  const room = { uuid: randomUUID(), label: randomUUID() };
  const texts = { nickname: 'Ada', email: '', body: 'A refund, please' };
  const sent = { is_support_sender: false, sent_at: new Date().toISOString() };
  return newEvent('message.added', account, new Date(), { uuid: randomUUID(), ...texts, ...sent, room });
};

it('reads the conversations of 25 messages at a time to raise notifications, of two accounts at once', async () => {
  const { notifications, models } = app.services;
  const accounts: string[] = [];
  while (accounts.length < ACCOUNTS) {
    const { token, id } = await app.account();
    await app.request('POST', '/api/v1/keywords/', { token, body: { keyword: 'refund' } });
    accounts.push(id);
  }
  /** Conversations that were read, and of which no notification is on its way to the database yet. */
  let [inMemory, most] = [0, 0];
  const count = ({ command }: CommandStartedEvent) => {
    if (command.find === models.messages.collection.name && command.filter.room)
      most = Math.max(most, ++inMemory);
    if (command.insert === models.notifications.collection.name) inMemory -= command.documents.length;
  };
  const client = models.messages.db.getClient();
  client.on('commandStarted', count);
  onTestFinished(() => void client.off('commandStarted', count));
  await Promise.all(
    accounts.map((account) =>
      notifications.raise(Array.from({ length: MESSAGES_OF_EACH }, () => said(account))),
    ),
  );
  expect(await models.notifications.countDocuments()).toBe(ACCOUNTS * MESSAGES_OF_EACH);
  expect(inMemory).toBe(0);
  expect(most).toBeLessThanOrEqual(2 * READ_TOGETHER);
});
