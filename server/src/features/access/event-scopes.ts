import type { EventName } from '@parlor/shared';
import type { Caller } from '../../http/turns.ts';
import { ParlorError } from '../../platform/errors.ts';
import { scopeMissingFor } from './rights.ts';

/**
 * A program gets what an event tells only with the scope that shows the same elsewhere (docs/contract.md#program-tokens).
 * @throws ParlorError `forbidden`, which names that scope
 */
export const checkScopeFor = ({ state: { principal } }: Caller, event: EventName): void => {
  const missing = principal?.kind === 'account' ? scopeMissingFor(principal, event) : undefined;
  if (missing === undefined) return;
  throw new ParlorError(
    'forbidden',
    `This token needs the scope ${missing}, too: ${event} tells what that shows.`,
  );
};
