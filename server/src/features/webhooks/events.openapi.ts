import { DELIVERY_BODIES, EVENT_NAMES, type EventName, Webhook, WebhookSecret } from '@parlor/shared';
import type { ZodOpenApiObject } from 'zod-openapi';
import { exampleOf } from '../../http/openapi/example.ts';
import type { Config } from '../../platform/config.ts';
import { describeDuration } from '../../platform/duration.ts';
import { VERSION } from '../../platform/version.ts';
import { eventIdFor } from './delivery-body.ts';
import { FAILED_ATTEMPTS, FAILING_FOR_MS } from './failures.ts';
import { MAX_PREVIOUS_SECRETS } from './previous-secrets.ts';
import { DELIVERY_LIMITS } from './sender.ts';
import { signWith } from './signing.ts';

type Settings = Pick<Config, 'WEBHOOK_RETRY_DELAYS' | 'WEBHOOK_TIMEOUT'>;

const EVENTS: Record<EventName, { summary: string; when: string }> = {
  'chat.added': {
    summary: 'A conversation was begun',
    when: 'A room was created, by you or by a visitor’s first message or lead. `data` is the Room, whose `messages` are always empty here.',
  },
  'message.added': {
    summary: 'A message was written',
    when: 'By a visitor, a bot or you: `is_support_sender` tells a visitor’s from the others. Answer it by `POST /api/v1/messages/` with the `room` of `data`.',
  },
  'lead.added': { summary: 'A lead was left', when: 'By a visitor, a workflow or you. `data` is the Lead.' },
  'lead.changed': {
    summary: 'A lead was changed',
    when: 'At least one field has another value than before; `changed` names those fields.',
  },
  'keyword_notification.added': {
    summary: 'A customer mentioned a keyword',
    when: 'Raised once for each message of a customer that mentions at least one of your keywords. `sent_at` is null in its own delivery.',
  },
  'conversation.updated': {
    summary: 'A conversation was changed',
    when: 'Its status, assignee, tags, rating or bot, whose turn it is, or when it was first answered; `changed` names the fields, `previous` has their values before. What is said besides is told by message.added alone.',
  },
};

/** What holds for the deliveries of every event; a Markdown text for the documents. */
const delivering = ({ WEBHOOK_RETRY_DELAYS, WEBHOOK_TIMEOUT }: Settings): string => {
  const after = WEBHOOK_RETRY_DELAYS.map(
    (delay, index) => `| ${index + 2} | ${describeDuration(delay)} |`,
  ).join('\n');
  return `
**Success** is any 2xx. The status line and the headers decide; they must be there within \
${describeDuration(WEBHOOK_TIMEOUT)} from the beginning of the attempt, connecting included. Answer first, and do your \
work after that. Of the body at most 16 KiB are read, for at most 2 s, and the first 1 KiB is kept for the log.

**Redirects are not followed**: a 3xx is a failed attempt. Change the webhook’s \`target\` instead.

**410 Gone** unsubscribes at once: the webhook is deleted, and what waits for it is dropped.

**Retries.** After any other response, or none, the same bytes are sent again, each pause being up to 20 % shorter or \
longer. \`Retry-After\` on a 429 or 503 makes it longer, up to an hour. After the last attempt the delivery has failed; the \
webhook stays, and \`POST /api/v1/deliveries/{id}/redeliver/\` sends it again. A webhook whose every attempt failed for \
${describeDuration(FAILING_FOR_MS)}, and at least ${FAILED_ATTEMPTS} of them, is deleted.

| attempt | pause before it |
|---|---|
| 1 | none |
${after}

**At least once.** What happened is delivered even if the server is killed the next moment, and it may be delivered \
twice: keep each \`webhook-id\` that you have dealt with for longer than all retries take, and answer 2xx to one that comes \
again. It is the same in every attempt and in a redelivery.

**Order.** Deliveries usually go out in the order of events, but up to ${DELIVERY_LIMITS.perQueue} at a time for one \
webhook (${DELIVERY_LIMITS.perOrigin} for an origin), and one that is tried again comes late: go by the times in \`data\`, \
not by arrival. After 10 failures in a row an origin is only probed, every 30 s, until it answers.

**Signature.** By [Standard Webhooks](https://www.standardwebhooks.com/): \`v1,\` and the base64 of the HMAC-SHA256 of \
\`{webhook-id}.{webhook-timestamp}.{body}\`, keyed by the bytes that the base64 after \`whsec_\` in the secret stands for. Check it over the raw body, \
and refuse a timestamp that is more than five minutes off. After a rotation there are several, with a space between them: \
by the present secret and by each that was replaced in the last 24 hours, ${MAX_PREVIOUS_SECRETS} at most; one that fits \
is enough.`;
};

const EXAMPLE_AT = new Date('2026-11-21T09:30:00.456Z');

/** Real headers of the example, by the secret that stands in the example of `…/secret/`. */
const signed = (body: string, { uuid }: { uuid: string }) => {
  const { secret } = exampleOf(WebhookSecret) as { secret: string };
  return signWith([secret])(eventIdFor(uuid, uuid), EXAMPLE_AT, body);
};

/** No status of HTTP. */
const BODY = '999';

interface PathItem {
  post?: { responses?: Record<string, object> };
}

const header = (name: string, description: string, schema: object, example: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const, ...schema },
  example,
});

const headersOf = (body: string, webhook: { uuid: string }) => {
  const example = signed(body, webhook);
  return [
    header(
      'webhook-id',
      'One for an event and a webhook, the same in every attempt and in a redelivery: by it you know what comes twice.',
      { format: 'uuid' },
      example['webhook-id'] ?? '',
    ),
    header(
      'webhook-timestamp',
      'When this attempt was made, in seconds since 1970.',
      { pattern: '^[0-9]+$' },
      example['webhook-timestamp'] ?? '',
    ),
    header(
      'webhook-signature',
      'One or several signatures, with a space between them.',
      { pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$' },
      example['webhook-signature'] ?? '',
    ),
    header('User-Agent', 'Who sends it.', {}, `Parlor-Webhooks/${VERSION}`),
  ];
};

/** `keyword_notification.added` as `keywordNotificationAdded`. */
const idOf = (event: EventName): string =>
  event.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());

const post = (event: EventName, settings: Settings) => {
  const { summary, when } = EVENTS[event];
  const webhook = { ...(exampleOf(Webhook) as { uuid: string }), event };
  const { data } = exampleOf(DELIVERY_BODIES[event]) as { data: object };
  const example = { data: event === 'chat.added' ? { ...data, messages: [] } : data, webhook };
  return {
    operationId: idOf(event),
    tags: ['Webhooks'],
    summary,
    description: `${when}\n${delivering(settings)}`,
    security: [{}],
    parameters: headersOf(JSON.stringify(example), webhook),
    responses: {
      [BODY]: {
        description: 'The same bytes in every attempt.',
        content: { 'application/json': { schema: DELIVERY_BODIES[event], example } },
      },
      '2XX': { description: 'You have it.' },
      '410': { description: 'You want no more of this webhook: it is deleted.' },
      '4XX': { description: 'It is tried again, as is whatever else is no 2xx.' },
    },
  };
};

/** The requests that subscribers get, by event (OpenAPI 3.1, `webhooks`). */
export const eventWebhooks = (settings: Settings): NonNullable<ZodOpenApiObject['webhooks']> =>
  Object.fromEntries(EVENT_NAMES.map((event) => [event, { post: post(event, settings) }]));

/**
 * Puts the bodies where they belong. Until then they stand among the responses: they are written by this server, and
 * what a request may leave out is always there.
 */
export const moveBodies = (webhooks: Record<string, PathItem> = {}): void => {
  for (const { post } of Object.values(webhooks)) {
    if (!post?.responses) continue;
    const { [BODY]: body, ...responses } = post.responses;
    Object.assign(post, { requestBody: { required: true, ...body }, responses });
  }
};
