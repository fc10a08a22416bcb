import type Router from '@koa/router';
import { type Message, NewRoom, Room } from '@parlor/shared';
import { present } from '../../database/document.ts';
import type { Authenticator } from '../../http/authenticator.ts';
import type { Context, Handler, State } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import { queryInteger, readPage, sendPage } from '../../http/lists.ts';
import { precondition, sendCreated, sendObject } from '../../http/single-object.ts';
import { readObject, readPatch } from '../../http/validate.ts';
import { notFound } from '../../platform/errors.ts';
import { accountOf } from '../accounts/principal.ts';
import type { StoredRoom } from './rooms.model.ts';
import type { RoomsService } from './rooms.service.ts';

/** How many messages a room shows (docs/contract.md#room). */
const MESSAGES_IN_LIST = 20;
const MESSAGES_IN_ROOM = 100;
const MAX_MESSAGES = 500;

/** About so many messages of different rooms are read at once. */
const MESSAGES_TOGETHER = 320;

/** What a visitor may change of its own room. */
const VISITORS_PATCH = NewRoom.pick({ rating: true, is_bot_use: true });

/**
 * The label in a route's path.
 * @throws ParlorError `not_found` when no room can have it, before an index is asked for a key that it can't hold
 */
const pathLabel = ({ params = {} }: Context): string => {
  const label = Room.shape.label.safeParse(params.label);
  if (!label.success) throw notFound();
  return label.data;
};

const messagesLimit = (ctx: Context, fallback: number): number =>
  queryInteger(ctx, 'messages_limit', { min: 0, max: MAX_MESSAGES, fallback });

/** What a room shows of what was said in it, oldest first. */
interface LatestMessages {
  latestOf(room: string, limit: number): Promise<Message[]>;
}

/** Deletes a room with all that is kept of it. @throws ParlorError `not_found`, and whatever `check` throws */
interface RoomRemoval {
  delete(account: string, label: string, check?: (current: StoredRoom) => Promise<void>): Promise<void>;
}

/** /api/v1/rooms (specification 4). */
export const roomRoutes = (
  router: Router<State>,
  {
    authenticate,
    idempotent,
    rooms,
    messages,
    roomDeletion,
    baseUrl,
  }: {
    authenticate: Authenticator;
    idempotent: Handler;
    rooms: RoomsService;
    messages: LatestMessages;
    roomDeletion: RoomRemoval;
    baseUrl(ctx: Context): string;
  },
): void => {
  const show = async (room: StoredRoom, limit: number): Promise<Room> => {
    const latest: Message[] = limit === 0 ? [] : await messages.latestOf(room._id, limit);
    return present(Room, room, { messages: latest });
  };

  /** If-Match names the representation that GET gave, with as many messages as this request asks for. */
  const conditionOf = (ctx: Context, limit: number) => {
    const check = precondition(ctx);
    return check && (async (current: StoredRoom) => check(await show(current, limit)));
  };

  const change = async (ctx: Context, account: string, wanted: Partial<NewRoom>): Promise<void> => {
    const limit = messagesLimit(ctx, MESSAGES_IN_ROOM);
    const room = await rooms.change(account, pathLabel(ctx), wanted, conditionOf(ctx, limit));
    sendObject(ctx, await show(room, limit));
  };

  router.get('/api/v1/rooms', authenticate.account, async (ctx) => {
    const page = readPage(ctx);
    const limit = messagesLimit(ctx, MESSAGES_IN_LIST);
    const steps = rooms.list(accountOf(ctx)._id, page);
    const present = (found: StoredRoom[]) => Promise.all(found.map((room) => show(room, limit)));
    const together = Math.ceil(MESSAGES_TOGETHER / (limit + 1));
    await sendPage(ctx, page, { steps, timeField: 'created_at', present, together }, baseUrl(ctx));
  });

  router.post('/api/v1/rooms', authenticate.account, jsonBody(), idempotent, async (ctx) => {
    const room = await rooms.create(
      accountOf(ctx)._id,
      readObject(NewRoom, ctx.state.body),
      ctx.state.newUuid,
    );
    sendCreated(ctx, await show(room, MESSAGES_IN_ROOM), `${baseUrl(ctx)}/api/v1/rooms/${room.label}/`);
  });

  router.get('/api/v1/rooms/:label', authenticate.account, async (ctx) => {
    const limit = messagesLimit(ctx, MESSAGES_IN_ROOM);
    const room = await rooms.byLabel(accountOf(ctx)._id, pathLabel(ctx));
    sendObject(ctx, await show(room, limit));
  });

  router.put('/api/v1/rooms/:label', authenticate.account, jsonBody(), async (ctx) => {
    await change(ctx, accountOf(ctx)._id, readObject(NewRoom, ctx.state.body));
  });

  router.patch('/api/v1/rooms/:label', authenticate.accountOrVisitor, jsonBody(), async (ctx) => {
    const { principal, body } = ctx.state;
    if (principal?.kind !== 'visitor') return change(ctx, accountOf(ctx)._id, readPatch(NewRoom, body));
    // A visitor rates its own conversation and asks for a person, and changes nothing else of it (docs/contract.md#visitors).
    const { account, room } = principal.visitor.session;
    const current = await rooms.byLabel(account, pathLabel(ctx));
    if (current._id !== room) throw notFound();
    const wanted = readPatch(VISITORS_PATCH, body);
    // Only the owner gives a conversation to the bot.
    if (wanted.is_bot_use) delete wanted.is_bot_use;
    await change(ctx, account, wanted);
  });

  router.delete('/api/v1/rooms/:label', authenticate.account, async (ctx) => {
    const condition = conditionOf(ctx, messagesLimit(ctx, MESSAGES_IN_ROOM));
    await roomDeletion.delete(accountOf(ctx)._id, pathLabel(ctx), condition);
    ctx.status = 204;
  });
};
