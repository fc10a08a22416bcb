import type { Context, Handler } from '../../../http/context.ts';
import { statusOf } from '../../../http/error-responses.ts';
import { escaped, sendPlainPage } from '../../../http/plain-page.ts';
import { forbidden, ParlorError } from '../../../platform/errors.ts';
import { OidcError } from './oidc-error.ts';

export const START_PATH = '/api/v1/auth/oidc/start';
export const CODE_PATH = '/api/v1/auth/oidc/code';

/**
 * Goes on to a path of this server. A response that leads there by itself would be part of the provider's redirect:
 * browsers send the session's cookie, which is SameSite=Strict, with what a page of this server begins only.
 */
export const sendOn = (ctx: Context, path: string): void => {
  const address = escaped(path);
  sendPlainPage(ctx, 200, {
    title: 'You are signed in',
    head: `<meta http-equiv="refresh" content="0;url=${address}">\n`,
    content: `<p><a href="${address}">Go on</a></p>`,
  });
};

const CODE_SCRIPT = `
const form = document.querySelector('form');
const say = (text) => { document.querySelector('[role=alert]').textContent = text; };
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  say('');
  try {
    const answer = await fetch(form.action, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code: form.elements.code.value }),
    });
    if (answer.ok) return location.replace(form.dataset.returnTo);
    const errors = await answer.json();
    say(errors.detail ?? Object.values(errors).flat().join(' '));
  } catch {
    say('No answer. Try again.');
  }
});
`;

/** Asks for a code of the member's authenticator app. */
export const sendCodePage = (ctx: Context, path: string): void =>
  sendPlainPage(ctx, 200, {
    title: 'One more step',
    content: `<form action="${CODE_PATH}" data-return-to="${escaped(path)}">
<p><label for="code">The code of your authenticator app, or a recovery code</label></p>
<p><input id="code" name="code" autocomplete="one-time-code" maxlength="40" required autofocus> <button>Sign in</button></p>
<p role="alert"></p>
</form>
<noscript><p>This page needs JavaScript.</p></noscript>`,
    script: CODE_SCRIPT,
  });

/** Whatever goes wrong on the way of a browser, as a page, unless it asks for JSON. */
export const errorPages: Handler = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    const isForPage = ctx.accepts('html', 'application/json', 'application/problem+json') === 'html';
    if (!(error instanceof ParlorError && isForPage)) throw error;
    ctx.set(error.headers);
    const reason = error instanceof OidcError ? `<p>Code: <code>${error.reason}</code></p>\n` : '';
    sendPlainPage(ctx, statusOf(error), {
      title: 'You are not signed in',
      content: `<p>${escaped(error.message)}</p>\n${reason}<p><a href="${START_PATH}">Begin again</a></p>`,
    });
  }
};

/**
 * `errorPages`, for what a browser goes to: a request for what a page would only show, such as an image or a frame, is
 * refused before it costs anything. By Sec-Fetch-Dest alone, since programs send Sec-Fetch-Mode, too.
 * @throws ParlorError `forbidden`
 */
export const onlyPages: Handler = (ctx, next) => {
  if (!['', 'document'].includes(ctx.get('Sec-Fetch-Dest'))) throw forbidden();
  return errorPages(ctx, next);
};
