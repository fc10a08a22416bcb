import type Router from '@koa/router';
import type { Authenticator } from '../../http/authenticator.ts';
import type { Context, Handler, State } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import { sendObject } from '../../http/single-object.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { readMessage, readMetadata } from './agent-input.ts';
import { ClientSecrets } from './client-secret.ts';
import type { ConversationsService } from './conversations.service.ts';
import { workflowOf } from './principal.ts';
import { readEventId, TurnStream } from './turn-stream.ts';
import { presentTurn } from './turns.ts';

/** While nothing is said, a comment keeps the connection from being taken for dead. */
const KEEP_ALIVE = 10_000;

/** The public agent API (specification 4, docs/contract.md#agent-api). */
export const conversationRoutes = (
  router: Router<State>,
  {
    authenticate,
    conversations,
    idempotent,
    rateLimits,
    secrets,
  }: {
    authenticate: Authenticator;
    conversations: ConversationsService;
    idempotent: Handler;
    rateLimits: Pick<RateLimits, 'count'>;
    secrets: Secrets;
  },
): void => {
  const path = '/api/v1/public/conversations';
  const { handOut, recognise } = new ClientSecrets(secrets);
  const conversationIn = (ctx: Context): string => ctx.params?.conversation ?? '';

  const limitStarts: Handler = async (ctx, next) => {
    await rateLimits.count(ctx, 'agent-start', workflowOf(ctx)._id);
    await next();
  };

  const limitMessages: Handler = async (ctx, next) => {
    await rateLimits.count(ctx, 'agent-conversation', conversationIn(ctx));
    await next();
  };

  router.post(
    `${path}/start`,
    authenticate.agent,
    limitStarts,
    jsonBody(),
    handOut,
    idempotent,
    async (ctx) => {
      const workflow = workflowOf(ctx);
      const metadata = readMetadata(ctx.state.body);
      const started = await conversations.start(workflow, metadata, ctx.state.newUuid);
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { ...started, workflowName: workflow.name };
    },
  );

  router.get(`${path}/:conversation`, authenticate.agent, async (ctx) => {
    sendObject(ctx, await conversations.get(workflowOf(ctx), conversationIn(ctx)));
  });

  /** Turns that are being streamed, by conversation and turn. */
  const running = new Map<string, { stream: TurnStream; done: Promise<void> }>();
  const wantsStream = (ctx: Context): boolean =>
    ctx.accepts('application/json', 'text/event-stream') === 'text/event-stream';

  /** Whoever lost the stream of a turn that still runs here joins it again; an Idempotency-Key has no part in it. */
  const rejoin: Handler = async (ctx, next) => {
    const last = wantsStream(ctx) ? readEventId(ctx.get('Last-Event-ID')) : undefined;
    const known = last && running.get(`${conversationIn(ctx)} ${last.turn}`);
    if (!known) return next();
    await send(ctx, known.stream, last.after, known.done);
  };

  router.post(
    `${path}/:conversation/messages`,
    authenticate.agent,
    limitMessages,
    rejoin,
    jsonBody(),
    recognise,
    idempotent,
    async (ctx) => {
      const workflow = workflowOf(ctx);
      const conversation = conversationIn(ctx);
      const text = readMessage(ctx.state.body);
      const last = wantsStream(ctx) ? readEventId(ctx.get('Last-Event-ID')) : undefined;
      const uuid = ctx.state.newUuid ?? last?.turn;
      if (ctx.state.newUuid) ctx.state.subject = await conversations.roomOf(workflow, conversation);
      if (!wantsStream(ctx)) {
        ctx.body = presentTurn(await conversations.say(workflow, conversation, text, { uuid }));
        return;
      }
      await conversations.checkOpen(workflow, conversation, uuid);
      const turn = uuid ?? newUuid();
      const stream = new TurnStream(turn);
      const name = `${conversation} ${turn}`;
      const done = conversations
        .say(workflow, conversation, text, { uuid: turn, listener: stream })
        .then((result) => stream.finish(result))
        .catch((error) => stream.fail(error))
        .finally(() => running.delete(name));
      running.set(name, { stream, done });
      await send(ctx, stream, last?.turn === turn ? last.after : undefined, done);
    },
  );
};

/**
 * Streams a turn by hand, since Koa would begin only when the handler has returned. The whole text is left as the
 * body in the end, for Idempotency-Key to keep.
 */
const send = async (
  ctx: Context,
  stream: TurnStream,
  after: Parameters<TurnStream['read']>[0],
  done: Promise<void>,
): Promise<void> => {
  const { res } = ctx;
  ctx.respond = false;
  ctx.status = 200;
  ctx.set('Content-Type', 'text/event-stream; charset=utf-8');
  ctx.set('Cache-Control', 'no-store');
  ctx.set('X-Accel-Buffering', 'no');
  res.flushHeaders();
  // Without a reader at the other end the turn goes on: it is stored, and whoever comes again finds it.
  const stop = stream.read(after, (text) => res.writable && res.write(text));
  const alive = setInterval(() => res.writable && res.write(': alive\n\n'), KEEP_ALIVE);
  await done;
  clearInterval(alive);
  stop();
  res.end();
  // Too late for another status, but Idempotency-Key must not keep it, and a defect is to be logged.
  if (stream.failure) throw stream.failure;
  ctx.body = stream.text;
};
