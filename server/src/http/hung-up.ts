import { ParlorError } from '../platform/errors.ts';
import type { Context } from './context.ts';

/** Aborted once the connection of a request has closed before its response: what was not begun for it need not be. */
export const whenHungUp = ({ res }: Pick<Context, 'res'>): AbortSignal => {
  const gone = new AbortController();
  // Nobody reads this response, but it keeps a lost connection out of the list of defects.
  const hangUp = () =>
    gone.abort(new ParlorError('malformed', 'The connection was lost before its turn came.'));
  if (res.destroyed) hangUp();
  else res.once('close', hangUp);
  return gone.signal;
};
