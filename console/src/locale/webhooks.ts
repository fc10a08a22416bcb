import { wordsOf } from './locale.ts';
import { de } from './webhooks.de.ts';
import { en, type WebhookWords } from './webhooks.en.ts';

/** What the pages of webhooks say. */
export const webhookWords = wordsOf<WebhookWords>({ en, de }, 'webhooks');
