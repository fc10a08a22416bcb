import type { Context, Handler } from '../http/context.ts';
import { REQUEST_ID } from '../http/request-log.ts';
import type { PublicWidget, PublicWidgets } from './public-widgets.ts';

/** A widget's site has few origins; whoever sends more of them is answered at full length. */
const MAX_ORIGINS = 20;

/** The one spelling that widgets send; what is written differently takes the long way. */
const PLAIN_REQUEST = /^\/api\/v1\/widgets\/\?token=([A-Za-z0-9_-]+)$/;

interface Answer {
  /** Names and values in turn: Node.js writes them as they are when no header has been set before. */
  headers: readonly string[];
  route: unknown;
}

/** What differs from one answer to the next. */
const OWN_HEADERS = [REQUEST_ID, 'Date'].map((name) => name.toLowerCase());

const headersOf = ({ res }: Context): string[] =>
  Object.entries(res.getHeaders())
    .filter(([name, value]) => !OWN_HEADERS.includes(name) && value !== undefined)
    .flatMap(([name, value]) => [name, String(value)]);

/**
 * Says again what was just said: every page view of every customer's site asks for its widget, and gets the same
 * text and headers as the one before as long as the copy in `publicWidgets` is fresh. Stands before whatever
 * makes headers; whatever is not a plain request for a known widget goes on to it.
 */
export const repeatedAnswers = (publicWidgets: Pick<PublicWidgets, 'known'>): Handler => {
  const answers = new WeakMap<PublicWidget, Map<string, Answer>>();

  return async (ctx: Context & { _matchedRoute?: unknown }, next) => {
    const { req, res } = ctx;
    const token = req.method === 'GET' ? PLAIN_REQUEST.exec(req.url ?? '')?.[1] : undefined;
    if (token === undefined || req.headers['if-none-match'] !== undefined) return next();

    const origin = req.headers.origin ?? '';
    const known = publicWidgets.known(token);
    const answer = known && answers.get(known)?.get(origin);
    if (answer) {
      ctx.respond = false;
      ctx._matchedRoute = answer.route;
      res.writeHead(200, [REQUEST_ID, ctx.state.requestId, ...answer.headers]).end(known.text);
      return;
    }

    await next();
    const widget = publicWidgets.known(token);
    // The copy may have been replaced meanwhile: then the answer was made of another one.
    if (ctx.status !== 200 || !widget || ctx.body !== widget.text) return;
    const ofWidget = answers.get(widget) ?? new Map<string, Answer>();
    answers.set(widget, ofWidget);
    const headers = [...headersOf(ctx), 'content-length', String(Buffer.byteLength(widget.text))];
    if (ofWidget.size < MAX_ORIGINS) ofWidget.set(origin, { headers, route: ctx._matchedRoute });
  };
};
