import { AgentConversation, ConversationTurn, MAX_MESSAGE, StartedConversation } from '@parlor/shared';
import { z } from 'zod';
import type { Context, Handler } from '../../http/context.ts';
import { whenHungUp } from '../../http/hung-up.ts';
import { shown } from '../../http/openapi/operation.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import type { Route, RouteLimit } from '../../http/route.ts';
import { sendObject } from '../../http/single-object.ts';
import { type Caller, callerNow, inTurn } from '../../http/turns.ts';
import { serverStops } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { readMessage, readMetadata } from './agent-input.ts';
import { ClientSecrets } from './client-secret.ts';
import type { ConversationsService } from './conversations.service.ts';
import { workflowOf } from './principal.ts';
import { readEventId, type Said, TurnStream } from './turn-stream.ts';
import { presentTurn } from './turns.ts';

/** While nothing is said, a comment keeps the connection from being taken for dead. */
const KEEP_ALIVE_MS = 10_000;

const conversation = {
  conversation: z.string().meta({ example: `conv_${'x'.repeat(24)}` }),
};

/** The public agent API (specification 4, docs/contract.md#agent-api). */
export const conversationRoutes = ({
  conversations,
  rateLimits,
  secrets,
}: {
  conversations: ConversationsService;
  rateLimits: Pick<RateLimits, 'count' | 'countAddress' | 'giveBackAddress'>;
  secrets: Secrets;
}): Route[] => {
  const { handOut, recognise } = new ClientSecrets(secrets);
  const conversationIn = (ctx: Context): string => ctx.params?.conversation ?? '';

  const workflowIn = (ctx: Context): string => workflowOf(ctx)._id;
  /** What all callers of a key have together: last, since one that has used up its own share takes nothing of it. */
  const ofKey: RouteLimit = { group: 'agent-key', after: 'credential', key: workflowIn };
  /** Counts a conversation by its address first, and then by its key. A start that either refuses takes of neither. */
  const countStart = async (ctx: Context): Promise<void> => {
    await rateLimits.countAddress(ctx, 'agent-start-day');
    try {
      await rateLimits.count(ctx, 'agent-start', workflowIn(ctx));
    } catch (error) {
      await rateLimits.giveBackAddress(ctx, 'agent-start-day');
      throw error;
    }
  };

  /** Turns that are being streamed, by conversation and turn. */
  const running = new Map<string, { stream: TurnStream; done: Promise<void> }>();
  const wantsStream = (ctx: Context): boolean =>
    ctx.accepts('application/json', 'text/event-stream') === 'text/event-stream';

  const saidIn = (ctx: Context): Said => ({
    conversation: conversationIn(ctx),
    text: readMessage(ctx.state.body),
  });
  /** What the client has of the stream that answers its message. */
  const lastOf = (ctx: Context, said: Said) =>
    wantsStream(ctx) ? readEventId(ctx.get('Last-Event-ID'), said) : undefined;

  /** Whoever lost the stream of a turn that still runs here joins it again; an Idempotency-Key has no part in it. */
  const rejoin: Handler = async (ctx, next) => {
    const last = ctx.get('Last-Event-ID') === '' ? undefined : lastOf(ctx, saidIn(ctx));
    const known = last && running.get(`${conversationIn(ctx)} ${last.turn}`);
    if (!known) return next();
    // Whoever names both has yet to show a key that opens the conversation.
    await conversations.roomOf(workflowOf(ctx), conversationIn(ctx));
    await send(ctx, known.stream, last.after, known.done);
  };
  const recogniseOrRejoin: Handler = (ctx, next) => rejoin(ctx, () => recognise(ctx, next));

  return [
    {
      method: 'POST',
      path: '/api/v1/public/conversations/start',
      cors: 'agent',
      // The others, of which one that is refused takes none, are counted by `countStart`.
      limits: [{ group: 'agent-start-ip', after: 'credential' }, ofKey],
      aroundKept: handOut,
      id: 'startConversation',
      tag: 'Agent',
      summary: 'Start a conversation with a published workflow',
      description:
        'Takes the flow to its first wait. The response’s `message` is the greeting and what follows it, joined by a blank line; say `metadata` to fill texts.',
      callers: ['agent'],
      body: z
        .object({
          metadata: z
            .record(z.string().max(40), z.string().max(500))
            .optional()
            .meta({ description: 'At most 50 keys; texts of the workflow are filled from them.' }),
        })
        .meta({ id: 'ConversationStart' }),
      bodyExample: { metadata: { name: 'Ada' } },
      isBodyOptional: true,
      isIdempotent: true,
      errors: [429],
      answers: {
        status: 200,
        description: 'Started; `message` is the greeting and what follows it.',
        schema: StartedConversation,
        headers: ['Parlor-Client'],
      },
      handler: async (ctx) => {
        const workflow = workflowOf(ctx);
        const metadata = readMetadata(ctx.state.body);
        const caller = callerNow(ctx);
        const started = await conversations.start(workflow, metadata, {
          client: ctx.ip,
          uuid: ctx.state.newUuid,
          count: () => countStart(ctx),
          now: async () => workflowOf(await caller()),
          gone: whenHungUp(ctx),
        });
        ctx.set('Cache-Control', 'no-store');
        ctx.body = { ...started, workflowName: workflow.name };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/public/conversations/{conversation}',
      cors: 'agent',
      limits: [ofKey],
      id: 'retrieveAgentConversation',
      tag: 'Agent',
      summary: 'A conversation with what was said in it: the latest 500 messages, and 2 MiB of them',
      description:
        'For a page that is opened again; oldest first. All messages are in the list of messages of the main API.',
      callers: ['agent'],
      params: conversation,
      condition: 'read',
      answers: shown(AgentConversation),
      handler: async (ctx) => {
        const read = (now: Caller) => conversations.get(workflowOf(now), conversationIn(ctx));
        sendObject(ctx, await inTurn(ctx, read));
      },
    },
    {
      method: 'POST',
      path: '/api/v1/public/conversations/{conversation}/messages',
      cors: 'agent',
      limits: [{ group: 'agent-conversation', after: 'credential', key: conversationIn }, ofKey],
      aroundKept: recogniseOrRejoin,
      id: 'continueConversation',
      tag: 'Agent',
      summary: 'Say something, and get the answers',
      description:
        'With `Accept: text/event-stream` the same, streamed as it is made: `delta`, `message`, and `done` last. Messages are answered one after the other; one whose key or workflow ends meanwhile is refused as a new one is.',
      callers: ['agent'],
      params: conversation,
      body: z
        .object({ message: z.string().min(1).max(MAX_MESSAGE).meta({ example: 'Do you deliver?' }) })
        .meta({ id: 'ConversationMessage' }),
      isIdempotent: true,
      sends: ['Parlor-Client', 'Last-Event-ID'],
      answers: { status: 200, description: 'The answers.', schema: ConversationTurn, hasStream: true },
      handler: async (ctx) => {
        const workflow = workflowOf(ctx);
        const said = saidIn(ctx);
        const { conversation, text } = said;
        const client = ctx.ip;
        const caller = callerNow(ctx);
        const now = async () => workflowOf(await caller());
        const gone = whenHungUp(ctx);
        const last = lastOf(ctx, said);
        const uuid = ctx.state.newUuid ?? last?.turn;
        if (ctx.state.newUuid) {
          ctx.state.subject = { uuid: await conversations.roomOf(workflow, conversation), at: new Date() };
        }
        if (!wantsStream(ctx)) {
          ctx.body = presentTurn(
            await conversations.say(workflow, conversation, text, { client, uuid, now, gone }),
          );
          return;
        }
        await conversations.checkOpen(workflow, conversation, uuid);
        const turn = uuid ?? newUuid();
        const after = last?.turn === turn ? last.after : undefined;
        const stream = new TurnStream(turn, said, after);
        const name = `${conversation} ${turn}`;
        const done = conversations
          .say(workflow, conversation, text, { client, uuid: turn, now, gone, listener: stream })
          .then((result) => stream.finish(result))
          .catch((error) => stream.fail(error))
          .finally(() => running.delete(name));
        running.set(name, { stream, done });
        await send(ctx, stream, after, done);
      },
    },
  ];
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
  const alive = setInterval(() => res.writable && res.write(': alive\n\n'), KEEP_ALIVE_MS);
  const isBrokenOff = await isOverBefore(ctx.state.over, done);
  clearInterval(alive);
  stop();
  // The turn may be stored all the same: whoever comes again is told.
  if (isBrokenOff && res.writable) res.write(stream.brokenOff(serverStops()));
  res.end();
  if (isBrokenOff) throw serverStops();
  // Too late for another status, but Idempotency-Key must not keep it, and a defect is to be logged.
  if (stream.failure) throw stream.failure;
  ctx.body = stream.text;
};

/** Whether a signal is given before something has ended; waits for either. */
const isOverBefore = async (over: AbortSignal, end: Promise<void>): Promise<boolean> => {
  let give = (): void => undefined;
  const given = new Promise<boolean>((resolve) => {
    give = () => resolve(true);
  });
  over.addEventListener('abort', give);
  if (over.aborted) give();
  try {
    return await Promise.race([end.then(() => false), given]);
  } finally {
    over.removeEventListener('abort', give);
  }
};
