import { parse } from 'node:querystring';
import type Router from '@koa/router';
import type { Context, State } from '../../http/context.ts';
import { sendPlainPage } from '../../http/plain-page.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import { CONFIRM_PATH, type EmailConfirmations } from './email-confirmations.ts';

/** The form posts to the address that it came from, with the secret in it. */
const ASK = {
  title: 'Confirm your e-mail address',
  content:
    '<p>Confirm that this e-mail address is yours, and Parlor will send mails to it.</p>\n' +
    '<form method="post"><button>Confirm</button></form>',
};
const DONE = { title: 'Your e-mail address is confirmed', content: '<p>You can close this page.</p>' };
const NO_GOOD = {
  title: 'This link is not good any more',
  content: '<p>It was used, has expired, or was not copied whole. Your account can ask for another one.</p>',
};

/**
 * GET and POST /confirm-email: the page that a mailed link leads to. Only its button confirms, since programs that look
 * for harm in mails open every link. It loads nothing and needs no script.
 */
export const confirmEmailRoutes = (
  router: Router<State>,
  { confirmations, rateLimits }: { confirmations: EmailConfirmations; rateLimits: RateLimits },
): void => {
  const answer =
    (isGood: (secret: string) => Promise<boolean>, good: typeof DONE) =>
    async (ctx: Context): Promise<void> => {
      const found = await isGood(String(parse(ctx.querystring).token ?? ''));
      if (!found) await rateLimits.countAddress(ctx, 'unknown');
      if (found) sendPlainPage(ctx, 200, good);
      else sendPlainPage(ctx, 404, NO_GOOD);
    };

  router.get(
    CONFIRM_PATH,
    answer((secret) => confirmations.isGood(secret), ASK),
  );
  router.post(
    CONFIRM_PATH,
    answer((secret) => confirmations.confirm(secret), DONE),
  );
};
