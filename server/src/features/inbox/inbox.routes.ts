import {
  BulkChange,
  BulkResult,
  Conversation,
  ConversationCounts,
  ConversationPatch,
  INBOX_STATUSES,
  isUuid,
  type Message,
  TagName,
  WAITING_ON,
} from '@parlor/shared';
import { z } from 'zod';
import type { Page } from '../../database/pages.ts';
import type { Context } from '../../http/context.ts';
import { whenHungUp } from '../../http/hung-up.ts';
import {
  DEFAULT_LIMIT,
  queryChoice,
  queryCursor,
  queryInteger,
  queryUuid,
  queryValue,
  sendPage,
} from '../../http/lists.ts';
import { listOf, listQuery, patchOf, shown, uuidInPath } from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { precondition, representationOf, sendRepresentation } from '../../http/single-object.ts';
import { type Caller, callerNow } from '../../http/turns.ts';
import { pathUuid, readObject, readPatch } from '../../http/validate.ts';
import { invalid } from '../../platform/errors.ts';
import type { CurrentAvatars } from '../members/avatars/current-avatars.ts';
import { accountOf, authorOf, memberOf, viewOf } from '../members/principal.ts';
import { isSameRestriction } from '../members/view.ts';
import type { StoredConversation } from './conversation.model.ts';
import type { InboxCounts } from './counts.ts';
import type { WrittenConversation } from './details.ts';
import { type Changer, type InboxService, lasting } from './inbox.service.ts';
import { ORDERS, timeFieldOf, type Wanted } from './lists.ts';
import type { TagNames } from './tag-names.ts';

const tag = 'Conversations';
const callers = ['account'] as const;
const params = { uuid: uuidInPath() };

/** More are never read of a page: each is put together from several collections. */
const MAX_CONVERSATIONS = 200;

/** Their last messages are in memory at a time. */
const PRESENTED_TOGETHER = 50;

const wantedQuery = {
  status: z.enum(INBOX_STATUSES).optional(),
  assignee: z.string().optional().meta({ description: '`me`, `none`, or the uuid of a member.' }),
  widget: z.uuid().optional(),
  tag: TagName.optional(),
  waiting_on: z.enum(WAITING_ON).optional(),
  is_unread: z.enum(['true', 'false']).optional().meta({ description: 'For whoever asks.' }),
  rating: z.int().min(1).max(5).optional(),
};

/** Who changes something, as it stands whenever it is called. It throws as `callerNow` does. */
const changerNow = (ctx: Context): (() => Promise<Changer>) => {
  const caller = callerNow(ctx);
  return async () => {
    const now = await caller();
    return { view: viewOf(now), member: memberOf(now)._id, author: authorOf(now) };
  };
};

const ME = 'me';

/** @throws ParlorError `invalid` */
const queryAssignee = (ctx: Context): string | null | undefined => {
  const value = queryValue(ctx, 'assignee');
  if (value === undefined || value === ME) return value;
  if (value === 'none') return null;
  if (!isUuid(value)) throw invalid({ assignee: ['me, none or a valid UUID is required.'] });
  return value.toLowerCase();
};

/** Read as the tags of a conversation are, so that it finds them in whatever form. @throws ParlorError `invalid` */
const queryTag = (ctx: Context): string | undefined => {
  const read = TagName.optional().safeParse(queryValue(ctx, 'tag'));
  if (read.success) return read.data;
  throw invalid({ tag: read.error.issues.map(({ message }) => message) });
};

/** @returns what a member wants, by its uuid. @throws ParlorError `invalid` */
const readWanted = (ctx: Context): ((member: string) => Wanted) => {
  const unread = queryChoice(ctx, 'is_unread', ['true', 'false']);
  const rating = queryInteger(ctx, 'rating', { min: 1, max: 5, fallback: 0 });
  const assignee = queryAssignee(ctx);
  const wanted = {
    status: queryChoice(ctx, 'status', INBOX_STATUSES),
    widget: queryUuid(ctx, 'widget'),
    tag: queryTag(ctx),
    waiting_on: queryChoice(ctx, 'waiting_on', WAITING_ON),
    rating: rating === 0 ? undefined : rating,
  };
  return (member) => ({
    ...wanted,
    assignee: assignee === ME ? member : assignee,
    unread: unread === undefined ? undefined : { member, is: unread === 'true' },
  });
};

const readInboxPage = (ctx: Context): Page => ({
  limit: queryInteger(ctx, 'limit', { min: 1, max: MAX_CONVERSATIONS, fallback: DEFAULT_LIMIT }),
  after: queryCursor(ctx),
  from: undefined,
  until: undefined,
});

/** /api/v1/conversations/ (docs/contract.md#conversation). */
export const inboxRoutes = ({
  inbox,
  inboxCounts,
  tagNames,
  currentAvatars,
  baseUrl,
}: {
  inbox: InboxService;
  inboxCounts: InboxCounts;
  tagNames: TagNames;
  currentAvatars: Pick<CurrentAvatars, 'show'>;
  baseUrl(ctx: Context): string;
}): Route[] => {
  /** The same conversations, with the pictures of those who wrote last. */
  const pictured = async (
    ctx: Context,
    found: (WrittenConversation | undefined)[],
  ): Promise<(Conversation | undefined)[]> => {
    const written = found.map((one) => one?.last_message ?? undefined);
    const shown = await currentAvatars.show<Message | undefined>(viewOf(ctx).account, baseUrl(ctx), written);
    return found.map((one, at) => one && Object.assign({}, one, { last_message: shown[at] ?? null }));
  };

  const send = async (ctx: Context, whole: WrittenConversation): Promise<void> => {
    const [shown = whole] = await pictured(ctx, [whole]);
    sendRepresentation(ctx, representationOf(lasting(whole), shown));
  };

  /** Its numbers are counted with those of others who saw the same: again where it sees something else by then. */
  const countedFor = async (ctx: Context): Promise<ConversationCounts> => {
    const caller = callerNow(ctx);
    for (let now: Caller = ctx; ; ) {
      const view = viewOf(now);
      const counts = await inboxCounts.of(view, memberOf(now)._id);
      now = await caller();
      if (isSameRestriction(view.widgets, viewOf(now).widgets)) return counts;
    }
  };

  return [
    {
      method: 'GET',
      path: '/api/v1/conversations/',
      id: 'listConversations',
      tag,
      summary: 'List your conversations',
      description:
        'By `order=waiting` those that wait on you come first, the longest waiting at the top, and then the rest, changed last first; by `order=updated` changed last first. Page by the address in `Link`.',
      callers,
      query: {
        limit: z.int().min(1).max(MAX_CONVERSATIONS).default(DEFAULT_LIMIT).optional(),
        cursor: listQuery.cursor,
        ...wantedQuery,
        order: z.enum(ORDERS).default('waiting').optional(),
      },
      answers: {
        ...listOf(Conversation),
        description: 'In the order asked for. `Link` leads to the next page.',
      },
      handler: async (ctx) => {
        const page = readInboxPage(ctx);
        const order = queryChoice(ctx, 'order', ORDERS) ?? 'waiting';
        const wanted = readWanted(ctx);
        const listFor = (now: Caller) => {
          const member = memberOf(now)._id;
          const steps = inbox.list(viewOf(now), wanted(member), order, page);
          const present = async (found: StoredConversation[]) =>
            pictured(ctx, await inbox.present(found, member));
          return { steps, timeField: timeFieldOf(order), present, together: PRESENTED_TOGETHER };
        };
        await sendPage(ctx, page, listFor, baseUrl(ctx));
      },
    },
    // Before /conversations/{uuid}/, which would take their names for a uuid.
    {
      method: 'GET',
      path: '/api/v1/conversations/counts/',
      id: 'countConversations',
      tag,
      summary: 'How many conversations there are in each view',
      description: 'Each number is counted up to 1000, which stands for "or more".',
      callers,
      answers: { status: 200, description: 'The numbers that you see.', schema: ConversationCounts },
      handler: async (ctx) => {
        ctx.set('Cache-Control', 'no-cache');
        ctx.body = await countedFor(ctx);
      },
    },
    {
      method: 'GET',
      path: '/api/v1/conversations/tags/',
      id: 'listTags',
      tag,
      summary: 'The tags that were given',
      description: 'The 500 that were first given last, newest first.',
      callers,
      answers: {
        status: 200,
        description: 'Their names.',
        schema: z.array(z.string().meta({ example: 'delivery' })),
      },
      handler: async (ctx) => {
        ctx.set('Cache-Control', 'no-cache');
        ctx.body = await tagNames.of(viewOf(ctx).account);
      },
    },
    {
      method: 'POST',
      path: '/api/v1/conversations/bulk/',
      id: 'changeConversations',
      tag,
      summary: 'Change many conversations',
      description:
        'Up to 500, each for itself; a field that is not sent stays as it is. With `If-Match`, those whose ETag it does not name stay as they are, too.',
      callers,
      body: BulkChange,
      bodyExample: {
        uuids: ['0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11'],
        status: 'done',
        add_tags: ['delivery'],
      },
      sends: ['If-Match'],
      isIdempotent: true,
      answers: { status: 200, description: 'What became of each.', schema: BulkResult },
      handler: async (ctx) => {
        const change = readObject(BulkChange, ctx.state.body);
        // It may wait for others of its account, and takes seconds itself.
        const now = changerNow(ctx);
        const again = async () => {
          await ctx.state.authenticateAgain();
          return now();
        };
        const changer = { now, again };
        ctx.body = await inbox.changeAll(accountOf(ctx), changer, change, precondition(ctx), whenHungUp(ctx));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/conversations/{uuid}/',
      id: 'retrieveConversation',
      tag,
      summary: 'Details of one conversation',
      description:
        "By its room's uuid. Its ETag stays when the visitor comes and goes, and when you have read it.",
      callers,
      params,
      condition: 'read',
      answers: shown(Conversation),
      handler: async (ctx) => send(ctx, await inbox.show(viewOf(ctx), pathUuid(ctx), memberOf(ctx)._id)),
    },
    {
      method: 'PATCH',
      path: '/api/v1/conversations/{uuid}/',
      id: 'changeConversation',
      tag,
      summary: 'Change one or some fields',
      description:
        'Fires conversation.updated. A visitor’s next message opens again what is done or snoozed; a member’s first answer takes what is nobody’s.',
      callers,
      params,
      body: patchOf(ConversationPatch, 'ConversationPatch'),
      bodyExample: { status: 'done' },
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Conversation),
      handler: async (ctx) => {
        const wanted = readPatch(ConversationPatch, ctx.state.body);
        const changed = await inbox.change(changerNow(ctx), pathUuid(ctx), wanted, precondition(ctx));
        await send(ctx, await inbox.presentOne(changed, memberOf(ctx)._id));
      },
    },
  ];
};
