import type { IncomingMessage } from 'node:http';
import { ParlorError } from '../platform/errors.ts';
import type { Handler } from './context.ts';

/** Requests whose target Node.js has let through, and no URL parser reads, such as `http://[/`. */
const unreadable = new WeakSet<IncomingMessage>();

/** Koa reads what is no path by `url.parse`, which takes hosts that are none, and warns that it will not for ever. */
const isUrlOrPath = (target: string): boolean =>
  target.startsWith('/') || target === '*' || URL.canParse(target);

/** Outside of all that looks at a request's path: one that has none is taken for a request of `/`, until it is refused. */
export const readTarget: Handler = (ctx, next) => {
  try {
    if (!isUrlOrPath(ctx.url) || typeof ctx.path !== 'string') throw new TypeError('no path');
  } catch {
    unreadable.add(ctx.req);
    ctx.req.url = '/';
  }
  return next();
};

/** Inside of what makes responses of errors. */
export const refuseUnreadable: Handler = ({ req }, next) => {
  if (unreadable.has(req)) throw new ParlorError('malformed', 'The request target is not a valid URL.');
  return next();
};
