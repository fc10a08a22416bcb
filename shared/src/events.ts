/** The names of the webhook events (specification 6). */
export const EVENT_NAMES = [
  'chat.added',
  'message.added',
  'lead.added',
  'lead.changed',
  'keyword_notification.added',
  'conversation.updated',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];
