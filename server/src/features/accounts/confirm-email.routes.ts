import { createHash } from 'node:crypto';
import { parse } from 'node:querystring';
import type Router from '@koa/router';
import type { Context, State } from '../../http/context.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import { CONFIRM_PATH, type EmailConfirmations } from './email-confirmations.ts';

const STYLE =
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem}' +
  'button{font:inherit;padding:.6rem 1.2rem}';

const CSP = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
${content}
</body>
</html>
`;

/** The form posts to the address that it came from, with the secret in it. */
const ASK = page(
  'Confirm your e-mail address',
  '<p>Confirm that this e-mail address is yours, and Parlor will send mails to it.</p>\n' +
    '<form method="post"><button>Confirm</button></form>',
);
const DONE = page('Your e-mail address is confirmed', '<p>You can close this page.</p>');
const NO_GOOD = page(
  'This link is not good any more',
  '<p>It was used, has expired, or was not copied whole. Your account can ask for another one.</p>',
);

/**
 * GET and POST /confirm-email: the page that a mailed link leads to. Only its button confirms, since programs that look
 * for harm in mails open every link. It loads nothing and needs no script.
 */
export const confirmEmailRoutes = (
  router: Router<State>,
  { confirmations, rateLimits }: { confirmations: EmailConfirmations; rateLimits: RateLimits },
): void => {
  const answer =
    (isGood: (secret: string) => Promise<boolean>, good: string) =>
    async (ctx: Context): Promise<void> => {
      ctx.set('Content-Security-Policy', CSP);
      ctx.set('Cache-Control', 'no-store');
      ctx.set('Referrer-Policy', 'no-referrer');
      const found = await isGood(String(parse(ctx.querystring).token ?? ''));
      if (!found) await rateLimits.countAddress(ctx, 'unknown');
      ctx.status = found ? 200 : 404;
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = found ? good : NO_GOOD;
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
