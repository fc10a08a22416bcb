import Koa from 'koa';
import type { Logger } from 'pino';
import { logBrokenAnswers } from './broken-answers.ts';
import type { State } from './context.ts';
import { ignoreLongAccept } from './long-accept.ts';
import { parseQueriesLinearly } from './query.ts';
import { readTarget } from './request-target.ts';

/**
 * A Koa as every listener needs it: whatever target, query and Accept a request has, it can be looked at at once, and what fails outside of the
 * responses of errors is a line of the log. Whoever adds those adds `refuseUnreadable` inside of them.
 */
export const newApp = (log: Logger): Koa<State> => {
  const app = parseQueriesLinearly(new Koa<State>());
  app.on('error', logBrokenAnswers(log));
  app.use(ignoreLongAccept);
  app.use(readTarget);
  return app;
};
