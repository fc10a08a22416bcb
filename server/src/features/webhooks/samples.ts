import type { EventName } from '@parlor/shared';
import { isoDatetime } from '../../database/document.ts';
import { newUuid } from '../../platform/ids.ts';

/** Made-up data of an event, in its real shape, for a test delivery (docs/contract.md#webhooks). */
export const sampleData = (event: EventName, now = new Date()): object => {
  const at = isoDatetime(now);
  const lead = {
    nickname: 'Ada',
    email: 'ada@example.com',
    phone_number: '+44 20 7946 0000',
    device: 'Chrome 140 on Android, mobile',
    from_page_title: 'Prices',
    referrer: 'https://search.example.com/',
    widget: null,
    conversation: null,
    created_at: at,
  };
  const message = { nickname: 'Ada', body: 'A test: do you deliver on Sundays?', is_support_sender: false };
  const room = { uuid: newUuid(), label: 'test-chat' };
  switch (event) {
    case 'chat.added':
      return {
        label: 'test-chat',
        uuid: newUuid(),
        name: 'A test chat',
        rating: null,
        is_bot_use: false,
        created_at: at,
        messages: [],
      };
    case 'message.added':
      return {
        uuid: newUuid(),
        nickname: message.nickname,
        email: 'ada@example.com',
        body: message.body,
        is_support_sender: false,
        sent_at: at,
        room,
      };
    case 'lead.added':
      return { uuid: newUuid(), ...lead };
    case 'lead.changed':
      return { uuid: newUuid(), ...lead, changed: ['phone_number'] };
    case 'keyword_notification.added':
      return {
        uuid: newUuid(),
        customer_request: message.body,
        keywords: ['deliver'],
        keyword_count: 1,
        nickname: message.nickname,
        email: 'ada@example.com',
        transcripts: [{ ...message, sent_at: at }],
        room,
        created_at: at,
        sent_at: null,
      };
    case 'conversation.updated':
      return {
        ...room,
        widget: null,
        status: 'done',
        snoozed_until: null,
        waiting_on: null,
        waiting_since: null,
        first_response_at: at,
        assignee: null,
        tags: ['delivery'],
        rating: null,
        is_bot_use: false,
        created_at: at,
        updated_at: at,
        changed: ['status', 'waiting_on', 'waiting_since'],
        previous: { status: 'open' },
        by: null,
      };
  }
};
