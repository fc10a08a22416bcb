import type Router from '@koa/router';
import { isUuid, NewMessage } from '@parlor/shared';
import type { Authenticator } from '../../http/authenticator.ts';
import type { Context, Handler, State } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import { queryValue, readPage, sendPage } from '../../http/lists.ts';
import { sendCreated, sendObject } from '../../http/single-object.ts';
import { pathUuid, readObject } from '../../http/validate.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import { accountOf } from '../accounts/principal.ts';
import { presentCreated } from './added-message.ts';
import type { StoredMessage } from './messages.model.ts';
import type { MessagesService } from './messages.service.ts';

/** The room whose messages are asked for: a visitor's is always its own (docs/contract.md#visitors). */
const readScope = (ctx: Context): { account: string; room: string | undefined } => {
  const given = queryValue(ctx, 'room');
  if (given !== undefined && !isUuid(given)) throw invalid({ room: ['Must be a valid UUID.'] });
  const room = given?.toLowerCase();
  const { principal } = ctx.state;
  if (principal?.kind !== 'visitor') return { account: accountOf(ctx)._id, room };
  const { session } = principal.visitor;
  if (room !== undefined && room !== session.room) throw notFound();
  return { account: session.account, room: session.room };
};

/** /api/v1/messages (specification 4). */
export const messageRoutes = (
  router: Router<State>,
  {
    authenticate,
    idempotent,
    messages,
    baseUrl,
  }: {
    authenticate: Authenticator;
    idempotent: Handler;
    messages: MessagesService;
    baseUrl(ctx: Context): string;
  },
): void => {
  router.get('/api/v1/messages', authenticate.accountOrVisitor, async (ctx) => {
    const page = readPage(ctx);
    const { account, room } = readScope(ctx);
    const steps = messages.list(account, room, page);
    const present = (found: StoredMessage[]) => messages.present(account, found);
    await sendPage(ctx, page, { steps, timeField: 'sent_at', present }, baseUrl(ctx));
  });

  router.post('/api/v1/messages', authenticate.accountOrVisitor, jsonBody(), idempotent, async (ctx) => {
    const input = readObject(NewMessage, ctx.state.body);
    const { principal, newUuid } = ctx.state;
    ctx.state.subject = input.room.uuid;
    const message =
      principal?.kind === 'visitor'
        ? await messages.createByVisitor(principal.visitor, input, newUuid)
        : await messages.create(accountOf(ctx)._id, input, newUuid);
    const answer = await messages.answerInTime(message);
    const created = { ...presentCreated(message), ...(answer && { support_answer: answer }) };
    sendCreated(ctx, created, `${baseUrl(ctx)}/api/v1/messages/${message._id}/`);
  });

  router.get('/api/v1/messages/:uuid', authenticate.account, async (ctx) => {
    const { _id: account } = accountOf(ctx);
    const message = await messages.get(account, pathUuid(ctx));
    const [shown] = await messages.present(account, [message]);
    if (!shown) throw notFound();
    const support_answer = await messages.answerTo(message);
    sendObject(ctx, { ...shown, ...(support_answer !== undefined && { support_answer }) });
  });
};
