import {
  CreatedMessageWithAnswer,
  MessageInRoom,
  MessageWithAnswer,
  NewMessage,
  uuidReference,
} from '@parlor/shared';
import type { Context } from '../../http/context.ts';
import { whenHungUp } from '../../http/hung-up.ts';
import { queryUuid, readPage, sendPage } from '../../http/lists.ts';
import { created, listOf, listQuery, shown, uuidInPath } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { sendCreated, sendObject } from '../../http/single-object.ts';
import { type Caller, objectInTurn } from '../../http/turns.ts';
import { pathUuid, readObject } from '../../http/validate.ts';
import { notFound } from '../../platform/errors.ts';
import type { CurrentAvatars } from '../members/avatars/current-avatars.ts';
import { pictured, viewNow, viewOf } from '../members/principal.ts';
import { type View, wholeAccount } from '../members/view.ts';
import { presentCreated } from './added-message.ts';
import type { StoredMessage } from './messages.model.ts';
import type { MessagesService } from './messages.service.ts';

/** The room whose messages are asked for: a visitor's is always its own (docs/contract.md#visitors). */
const scopeOf = (now: Caller, room: string | undefined): { view: View; room: string | undefined } => {
  const { principal } = now.state;
  if (principal?.kind !== 'visitor') return { view: viewOf(now), room };
  const { session } = principal.visitor;
  if (room !== undefined && room !== session.room) throw notFound();
  return { view: wholeAccount(session.account), room: session.room };
};

const tag = 'Messages';

/** /api/v1/messages (specification 4). */
export const messageRoutes = ({
  messages,
  currentAvatars,
  baseUrl,
}: {
  messages: MessagesService;
  currentAvatars: CurrentAvatars;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/messages/',
    cors: 'visitor',
    id: 'listMessages',
    tag,
    summary: 'List your messages',
    description: "A visitor gets those of its own room; `room` narrows an account's to one room.",
    callers: ['account', 'visitor'],
    query: { ...listQuery, room: uuidReference().optional() },
    errors: [404],
    answers: listOf(MessageInRoom),
    handler: async (ctx) => {
      const page = readPage(ctx);
      const wanted = queryUuid(ctx, 'room');
      const base = baseUrl(ctx);
      const listFor = async (now: Caller) => {
        const { view, room } = scopeOf(now, wanted);
        const { steps, present } = await messages.list(view, room, page);
        const pictured = async (found: StoredMessage[]) =>
          currentAvatars.show<MessageInRoom | undefined>(view.account, base, await present(found));
        return { steps, timeField: 'sent_at' as const, present: pictured };
      };
      await sendPage(ctx, page, listFor, base);
    },
  },
  {
    method: 'POST',
    path: '/api/v1/messages/',
    cors: 'visitor',
    id: 'createMessage',
    tag,
    summary: 'Create a message',
    description:
      'Fires message.added. A visitor writes into its own room, never as support; its first message makes the room.',
    callers: ['account', 'visitor'],
    body: NewMessage,
    bodyExample: {
      body: 'Do you deliver?',
      email: 'ada@example.com',
      nickname: 'Ada',
      room: { uuid: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11' },
    },
    isIdempotent: 'for good',
    aroundKept: async (ctx, next) => {
      // A response that was kept is not for whoever does not see its room any more.
      const isRestricted = ctx.state.principal?.kind === 'account' && viewOf(ctx).widgets !== undefined;
      if (isRestricted) await messages.roomFor(viewOf(ctx), readObject(NewMessage, ctx.state.body));
      await next();
    },
    answers: created(CreatedMessageWithAnswer),
    handler: async (ctx) => {
      const input = readObject(NewMessage, ctx.state.body);
      const { principal, newUuid: uuid } = ctx.state;
      const request = { client: ctx.ip, uuid };
      const message =
        principal?.kind === 'visitor'
          ? await messages.createByVisitor(principal.visitor, input, request)
          : await messages.create(viewNow(ctx), input, {
              ...request,
              by: pictured(ctx, baseUrl(ctx)),
              gone: whenHungUp(ctx),
            });
      ctx.state.subject = { uuid: input.room.uuid, at: message.sent_at };
      const answer = await messages.answerInTime(message);
      const created = { ...presentCreated(message), ...(answer && { support_answer: answer }) };
      sendCreated(ctx, created, `${baseUrl(ctx)}/api/v1/messages/${message._id}/`);
    },
  },
  {
    method: 'GET',
    path: '/api/v1/messages/{uuid}/',
    id: 'retrieveMessage',
    tag,
    summary: 'Details of one message',
    description: 'With its room, and where a bot answers there, with the bot’s answer.',
    callers: ['account'],
    params: { uuid: uuidInPath() },
    condition: 'read',
    answers: shown(MessageWithAnswer),
    handler: async (ctx) => {
      const uuid = pathUuid(ctx);
      const read = async (now: Caller) => {
        const view = viewOf(now);
        const message = await messages.shown(view, uuid);
        return currentAvatars.showOne(view.account, baseUrl(ctx), message);
      };
      sendObject(ctx, await objectInTurn(ctx, read));
    },
  },
];
