import { type ParsedUrlQuery, parse } from 'node:querystring';
import type Koa from 'koa';

/**
 * Parses queries in linear time. Koa's own `ctx.query` looks through all parameters for each of them: 16 KiB of them, as
 * anybody may send, would hold everybody up for seconds.
 */
export const parseQueriesLinearly = <S>(app: Koa<S>): Koa<S> => {
  const known = new WeakMap<object, { text: string; query: ParsedUrlQuery }>();
  Object.defineProperty(app.request, 'query', {
    get(this: Koa.Request): ParsedUrlQuery {
      const { querystring: text } = this;
      const before = known.get(this);
      if (before?.text === text) return before.query;
      const query = parse(text, '&', '=', { maxKeys: 0 });
      known.set(this, { text, query });
      return query;
    },
  });
  return app;
};
