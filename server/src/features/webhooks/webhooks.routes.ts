import { type EventName, NewWebhook, RotatedWebhookSecret, Webhook, WebhookSecret } from '@parlor/shared';
import { isoDatetime } from '../../database/document.ts';
import type { Context, Handler } from '../../http/context.ts';
import { readPage, sendPage } from '../../http/lists.ts';
import {
  created,
  deleted,
  listOf,
  listQuery,
  patchOf,
  shown,
  uuidInPath,
} from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { precondition, sendCreated, sendObject } from '../../http/single-object.ts';
import type { Caller } from '../../http/turns.ts';
import { pathUuid, readObject, readPatch } from '../../http/validate.ts';
import { ignoreMissing, ParlorError } from '../../platform/errors.ts';
import type { Quotas } from '../accounts/quotas.ts';
import { accountOf, actionOf, memberNow } from '../members/principal.ts';
import type { StoredWebhook } from './webhooks.model.ts';
import { presentWebhook, type WebhooksService } from './webhooks.service.ts';

/**
 * Whether a program may read what an event tells (access/event-scopes.ts).
 * @throws ParlorError `forbidden`
 */
export type CheckScope = (ctx: Caller, event: EventName) => void;

const callers = ['account'] as const;
const params = { uuid: uuidInPath() };
const webhook = 'Webhooks';

/** /api/v1/webhooks (specification 4), and the secrets of docs/contract.md#webhooks. */
export const webhookRoutes = ({
  webhooks,
  quotas,
  checkScopeFor,
  baseUrl,
}: {
  webhooks: WebhooksService;
  quotas: Quotas;
  checkScopeFor: CheckScope;
  baseUrl(ctx: Context): string;
}): Route[] => {
  const own = (ctx: Context): [account: string, uuid: string] => [accountOf(ctx), pathUuid(ctx)];

  /** What waits of the event of now goes to the new target, as does all that was made of events of before. */
  const mayChange = (ctx: Context, wanted: Partial<NewWebhook>) => {
    const check = precondition(ctx);
    return (current: Webhook, heardBefore: readonly EventName[]): void => {
      check?.(current);
      if (wanted.event === undefined && wanted.target === undefined) return;
      const moved = wanted.target === undefined ? [] : heardBefore;
      for (const event of [current.event, wanted.event ?? current.event, ...moved]) checkScopeFor(ctx, event);
    };
  };

  // The secret joins the response outside of `idempotent`, which keeps responses in the database as they are.
  const withSecret: Handler = async (ctx, next) => {
    await next();
    const kept = JSON.parse(String(ctx.body)) as object;
    const secret = await webhooks.secret(...own(ctx)).catch(ignoreMissing);
    if (secret === undefined)
      throw new ParlorError('conflict', 'The webhook of this Idempotency-Key has been deleted.');
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { secret, ...kept };
  };

  return [
    {
      method: 'GET',
      path: '/api/v1/webhooks/',
      id: 'listWebhooks',
      tag: webhook,
      summary: 'List your webhooks',
      description: 'Newest first, without their secrets.',
      callers,
      query: listQuery,
      answers: listOf(Webhook),
      handler: async (ctx) => {
        const page = readPage(ctx);
        await sendPage(
          ctx,
          page,
          (now) => ({
            steps: webhooks.list(accountOf(now), page),
            timeField: 'created_at',
            present: (found: StoredWebhook[]) => found.map(presentWebhook),
          }),
          baseUrl(ctx),
        );
      },
    },
    {
      method: 'POST',
      path: '/api/v1/webhooks/',
      id: 'createWebhook',
      tag: webhook,
      summary: 'Subscribe an address to an event',
      description:
        'From now on what happens is posted to `target`, signed by the secret that `…/secret/` shows: see the section on webhooks. The same event and target twice is a 400, as is a target in a private network. At most 50 an account. A program needs the scope that shows what the event tells, too.',
      callers,
      body: NewWebhook,
      isIdempotent: true,
      answers: created(Webhook),
      handler: async (ctx) => {
        const whoNow = memberNow(ctx);
        const input = readObject(NewWebhook, ctx.state.body);
        checkScopeFor(ctx, input.event);
        const account = accountOf(ctx);
        const { newUuid } = ctx.state;
        const webhook = await quotas.within('webhooks', account, newUuid, whoNow, () =>
          webhooks.create(account, input, newUuid, actionOf(ctx)),
        );
        sendCreated(ctx, presentWebhook(webhook), `${baseUrl(ctx)}/api/v1/webhooks/${webhook._id}/`);
      },
    },
    {
      method: 'GET',
      path: '/api/v1/webhooks/{uuid}/',
      id: 'retrieveWebhook',
      tag: webhook,
      summary: 'Details of one webhook',
      description: 'By its uuid.',
      callers,
      params,
      condition: 'read',
      answers: shown(Webhook),
      handler: async (ctx) => {
        sendObject(ctx, presentWebhook(await webhooks.get(...own(ctx))));
      },
    },
    {
      method: 'PUT',
      path: '/api/v1/webhooks/{uuid}/',
      id: 'updateWebhook',
      tag: webhook,
      summary: 'Replace all fields',
      description:
        'What waits to be delivered goes to the new target. Another event is heard from now on. A program needs the scopes that show what the event tells, and for another `target` what those tell that it has heard before, too.',
      callers,
      params,
      body: NewWebhook,
      condition: 'write',
      answers: shown(Webhook),
      handler: async (ctx) => {
        const ids = own(ctx);
        const wanted = readObject(NewWebhook, ctx.state.body);
        sendObject(
          ctx,
          presentWebhook(await webhooks.change(...ids, wanted, mayChange(ctx, wanted), actionOf(ctx))),
        );
      },
    },
    {
      method: 'PATCH',
      path: '/api/v1/webhooks/{uuid}/',
      id: 'changeWebhook',
      tag: webhook,
      summary: 'Change one or some fields',
      description:
        'What waits to be delivered goes to the new target. Another event is heard from now on. A program needs the scopes that show what the event tells, and for another `target` what those tell that it has heard before, too.',
      callers,
      params,
      body: patchOf(NewWebhook, 'WebhookPatch'),
      bodyExample: { target: 'https://example.com/hooks/new' },
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Webhook),
      handler: async (ctx) => {
        const ids = own(ctx);
        const wanted = readPatch(NewWebhook, ctx.state.body);
        sendObject(
          ctx,
          presentWebhook(await webhooks.change(...ids, wanted, mayChange(ctx, wanted), actionOf(ctx))),
        );
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/webhooks/{uuid}/',
      id: 'deleteWebhook',
      tag: webhook,
      summary: 'Unsubscribe',
      description: 'What waits to be delivered is dropped; its deliveries stay in the log.',
      callers,
      params,
      condition: 'write',
      answers: deleted,
      handler: async (ctx) => {
        await webhooks.delete(...own(ctx), precondition(ctx), actionOf(ctx));
        ctx.status = 204;
      },
    },
    {
      method: 'GET',
      path: '/api/v1/webhooks/{uuid}/secret/',
      id: 'retrieveWebhookSecret',
      tag: webhook,
      summary: 'The secret that signs its deliveries',
      description: 'For a receiver to check signatures with, by any library of Standard Webhooks.',
      callers,
      params,
      answers: { status: 200, description: 'The secret.', schema: WebhookSecret },
      handler: async (ctx) => {
        ctx.set('Cache-Control', 'no-store');
        ctx.body = { secret: await webhooks.secret(...own(ctx)) };
      },
    },
    {
      method: 'POST',
      path: '/api/v1/webhooks/{uuid}/secret/rotate/',
      aroundKept: withSecret,
      id: 'rotateWebhookSecret',
      tag: webhook,
      summary: 'Make a new secret; the old one signs, too, for 24 hours',
      description:
        'Each delivery carries a signature by the present secret and by every one that was replaced within the last 24 hours, so that rotating again breaks no promise. At most ten rotations in 24 hours: then 429.',
      callers,
      params,
      isIdempotent: true,
      answers: { status: 200, description: 'The new secret.', schema: RotatedWebhookSecret },
      handler: async (ctx) => {
        const { previous_expires_at } = await webhooks.rotateSecret(...own(ctx), actionOf(ctx));
        ctx.body = JSON.stringify({
          previous_expires_at: previous_expires_at && isoDatetime(previous_expires_at),
        });
      },
    },
  ];
};
