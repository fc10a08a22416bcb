import { type Message, NewRoom, Room } from '@parlor/shared';
import { z } from 'zod';
import { present } from '../../database/document.ts';
import type { Action } from '../../events/audit.ts';
import type { Context } from '../../http/context.ts';
import { whenHungUp } from '../../http/hung-up.ts';
import { queryInteger, readPage, sendPage } from '../../http/lists.ts';
import { created, deleted, listOf, listQuery, patchOf, shown } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { precondition, sendCreated, sendObject } from '../../http/single-object.ts';
import { type Caller, callerNow, inTurn } from '../../http/turns.ts';
import { readObject, readPatch } from '../../http/validate.ts';
import { notFound } from '../../platform/errors.ts';
import type { AsWritten, CurrentAvatars } from '../members/avatars/current-avatars.ts';
import { accountOf, actionOf, viewOf } from '../members/principal.ts';
import { type View, wholeAccount } from '../members/view.ts';
import type { Visitor } from '../visitors/sessions.service.ts';
import type { PlainRoom, StoredRoom } from './rooms.model.ts';
import type { RoomsService } from './rooms.service.ts';

/** How many messages a room shows (docs/contract.md#room). */
const MESSAGES_IN_LIST = 20;
const MESSAGES_IN_ROOM = 100;
const MAX_MESSAGES = 500;

/** About how many messages of different rooms are read at once. */
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
  latestOf(room: string, limit: number): Promise<AsWritten<Message>[]>;
}

/** Deletes a room with all that is kept of it. @throws ParlorError `not_found`, and whatever `check` throws */
interface RoomRemoval {
  delete(
    account: string,
    label: string,
    check: ((current: StoredRoom) => Promise<void>) | undefined,
    action: Action,
    gone: AbortSignal,
  ): Promise<void>;
}

const tag = 'Rooms';
const callers = ['account'] as const;
const params = { label: Room.shape.label };

const messagesLimitQuery = (fallback: number) => ({
  messages_limit: z
    .int()
    .min(0)
    .max(MAX_MESSAGES)
    .default(fallback)
    .optional()
    .meta({ description: 'How many of the latest messages a room holds, as long as they fit into 2 MiB.' }),
});

/** /api/v1/rooms (specification 4). */
export const roomRoutes = ({
  rooms,
  messages,
  roomDeletion,
  currentAvatars,
  baseUrl,
}: {
  rooms: RoomsService;
  messages: LatestMessages;
  roomDeletion: RoomRemoval;
  currentAvatars: Pick<CurrentAvatars, 'show'>;
  baseUrl(ctx: Context): string;
}): Route[] => {
  const show = async (ctx: Context, room: PlainRoom, limit: number): Promise<Room> => {
    const latest = limit === 0 ? [] : await messages.latestOf(room._id, limit);
    const shown = await currentAvatars.show<Message>(room.account, baseUrl(ctx), latest);
    return present(Room, room, { messages: shown });
  };

  /** If-Match names the representation that GET gave, with as many messages as this request asks for. */
  const conditionOf = (ctx: Context, limit: number) => {
    const check = precondition(ctx);
    return check && (async (current: StoredRoom) => check(await show(ctx, current, limit)));
  };

  /**
   * In its turn, since it is shown with its messages.
   * @param find gives the room that it has to be, whatever has its label by then; `isConditional`: a condition is to hold for it
   */
  const change = async (
    ctx: Context,
    viewFor: (now: Caller) => View,
    wanted: Partial<NewRoom>,
    find?: (isConditional: boolean) => Promise<PlainRoom>,
  ): Promise<void> => {
    const limit = messagesLimit(ctx, MESSAGES_IN_ROOM);
    const condition = conditionOf(ctx, limit);
    const label = pathLabel(ctx);
    const caller = callerNow(ctx);
    const viewNow = async () => viewFor(await caller());
    const changed = async (): Promise<Room> => {
      const only = await find?.(condition !== undefined);
      const room = await rooms.change(viewNow, only?.label ?? label, wanted, async (current) => {
        if (only && current._id !== only._id) throw notFound();
        await condition?.(current);
      });
      return show(ctx, room, limit);
    };
    sendObject(ctx, await inTurn(ctx, changed));
  };

  /** A visitor rates its own conversation and asks for a member, and changes nothing else of it (docs/contract.md#visitors). */
  const changeByVisitor = async (ctx: Context, visitor: Visitor): Promise<void> => {
    const { account, room, label } = visitor.session;
    const view = wholeAccount(account);
    const wanted = readPatch(VISITORS_PATCH, ctx.state.body);
    // Only the owner gives a conversation to the bot.
    if (wanted.is_bot_use) delete wanted.is_bot_use;
    const named = pathLabel(ctx);
    const find = async (isConditional: boolean): Promise<PlainRoom> => {
      const current = await rooms.byUuid(view, room);
      if (current && [label, current.label].includes(named)) return current;
      // Whoever asks for a member gets one, also where the room has been deleted, or was never made.
      const mayBegin = !current && named === label && wanted.is_bot_use === false && !isConditional;
      if (mayBegin) return rooms.ofVisitor(visitor, wanted);
      throw notFound();
    };
    await change(ctx, () => view, wanted, find);
  };

  return [
    {
      method: 'GET',
      path: '/api/v1/rooms/',
      id: 'listRooms',
      tag,
      summary: 'List your rooms',
      description: 'Newest first, each with its latest messages; page by the address in `Link`.',
      callers,
      query: { ...listQuery, ...messagesLimitQuery(MESSAGES_IN_LIST) },
      answers: listOf(Room),
      handler: async (ctx) => {
        const page = readPage(ctx);
        const limit = messagesLimit(ctx, MESSAGES_IN_LIST);
        const present = (found: PlainRoom[]) => Promise.all(found.map((room) => show(ctx, room, limit)));
        const together = Math.ceil(MESSAGES_TOGETHER / (limit + 1));
        await sendPage(
          ctx,
          page,
          (now) => ({ steps: rooms.list(viewOf(now), page), timeField: 'created_at', present, together }),
          baseUrl(ctx),
        );
      },
    },
    {
      method: 'POST',
      path: '/api/v1/rooms/',
      id: 'createRoom',
      tag,
      summary: 'Create a room',
      description: 'Fires chat.added. Without a label the server makes one; every other field has a default.',
      callers,
      body: NewRoom,
      isBodyOptional: true,
      isIdempotent: true,
      answers: created(Room),
      handler: async (ctx) => {
        const room = await rooms.create(
          accountOf(ctx),
          readObject(NewRoom, ctx.state.body),
          ctx.state.newUuid,
        );
        sendCreated(
          ctx,
          await show(ctx, room, MESSAGES_IN_ROOM),
          `${baseUrl(ctx)}/api/v1/rooms/${room.label}/`,
        );
      },
    },
    {
      method: 'GET',
      path: '/api/v1/rooms/{label}/',
      id: 'retrieveRoom',
      tag,
      summary: 'Details of one room',
      description: 'By its label, with its latest messages in the order sent.',
      callers,
      params,
      query: messagesLimitQuery(MESSAGES_IN_ROOM),
      condition: 'read',
      answers: shown(Room),
      handler: async (ctx) => {
        const limit = messagesLimit(ctx, MESSAGES_IN_ROOM);
        const label = pathLabel(ctx);
        const read = async (now: Caller) => show(ctx, await rooms.byLabel(viewOf(now), label), limit);
        sendObject(ctx, await inTurn(ctx, read));
      },
    },
    {
      method: 'PUT',
      path: '/api/v1/rooms/{label}/',
      id: 'updateRoom',
      tag,
      summary: 'Replace all fields',
      description: 'What is not sent goes back to its default; the label stays when it is not sent.',
      callers,
      params,
      query: messagesLimitQuery(MESSAGES_IN_ROOM),
      body: NewRoom,
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Room),
      handler: async (ctx) => {
        await change(ctx, viewOf, readObject(NewRoom, ctx.state.body));
      },
    },
    {
      method: 'PATCH',
      path: '/api/v1/rooms/{label}/',
      cors: 'visitor',
      id: 'changeRoom',
      tag,
      summary: 'Change one or some fields',
      description:
        'A visitor may change the `rating` of its own room, and set `is_bot_use` to false: it wants a member, which makes ' +
        'the room where there is none yet.',
      callers: ['account', 'visitor'],
      params,
      query: messagesLimitQuery(MESSAGES_IN_ROOM),
      body: patchOf(NewRoom, 'RoomPatch'),
      bodyExample: { rating: 5 },
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Room),
      handler: async (ctx) => {
        const { principal, body } = ctx.state;
        if (principal?.kind === 'visitor') await changeByVisitor(ctx, principal.visitor);
        else await change(ctx, viewOf, readPatch(NewRoom, body));
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/rooms/{label}/',
      id: 'deleteRoom',
      tag,
      summary: 'Delete a room and its messages',
      description:
        'Its notifications go, too, and its deliveries lose what they said; leads stay. Members learn of it on the live ' +
        'channel (`room.deleted`).',
      callers,
      params,
      query: messagesLimitQuery(MESSAGES_IN_ROOM),
      condition: 'write',
      answers: deleted,
      handler: async (ctx) => {
        const condition = conditionOf(ctx, messagesLimit(ctx, MESSAGES_IN_ROOM));
        const label = pathLabel(ctx);
        const gone = whenHungUp(ctx);
        const remove = (now: Caller) =>
          roomDeletion.delete(accountOf(now), label, condition, actionOf(ctx), gone);
        // Only the condition reads its messages.
        await (condition ? inTurn(ctx, remove) : remove(ctx));
        ctx.status = 204;
      },
    },
  ];
};
