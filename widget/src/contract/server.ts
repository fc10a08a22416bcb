import type { Message, VisitorSession, Widget } from '@parlor/shared';

/**
 * The server's side as the widget knows it. Types only: at run time nothing of `@parlor/shared` (and so no
 * validation library) may reach a visitor's browser.
 */
export type { Message, VisitorSession, Widget };

/** What the widget knows of a message that the server has; the create response has no more. */
export type KnownMessage = Pick<Message, 'uuid' | 'body' | 'is_support_sender' | 'sent_at'> &
  Partial<Pick<Message, 'nickname' | 'is_bot' | 'author'>>;
