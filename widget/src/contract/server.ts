/**
 * The server's side as the widget knows it. Types only: at run time nothing of `@parlor/shared` (and so no
 * validation library) may reach a visitor's browser.
 */
export type { CreatedMessage, Lead, Message, VisitorSession, Widget } from '@parlor/shared';
