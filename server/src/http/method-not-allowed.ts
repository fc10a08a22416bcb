import type Router from '@koa/router';
import { ParlorError } from '../errors.ts';
import type { Handler, State } from './context.ts';

/**
 * After the router: a path that it knows, with a method that the path does not have, is a 405 with Allow
 * (contract 1), never a 501.
 */
export const methodNotAllowed =
  (router: Router<State>): Handler =>
  async (ctx) => {
    const { path } = router.match(ctx.path, ctx.method);
    const methods = new Set(path.flatMap((layer) => layer.methods));
    if (methods.size === 0) throw new ParlorError('not_found', 'Not found.');
    throw new ParlorError('method_not_allowed', `Method "${ctx.method}" not allowed.`, {
      headers: { Allow: [...methods].sort().join(', ') },
    });
  };
