import { databaseAway } from '../database/unavailable.ts';
import { FairTurns } from '../platform/fair-turns.ts';
import type { Context } from './context.ts';
import { whenHungUp } from './hung-up.ts';

/** Whoever makes a request, as it stands at one moment: what reads `principal` takes it like a context. */
export interface Caller {
  state: Pick<Context['state'], 'principal'>;
}

/** Whoever was looked at longer ago (milliseconds) may have been removed meanwhile, or see less. */
const LONG_MS = 1_000;

/**
 * What says who makes a request as it stands when it is called: for whatever waits, or takes long. It throws what the
 * credential is refused with by then, as a new request would be.
 */
export const callerNow = (ctx: Context): (() => Promise<Caller>) => {
  let lookedAt = performance.now();
  return async () => {
    if (performance.now() - lookedAt > LONG_MS) {
      await ctx.state.authenticateAgain();
      lookedAt = performance.now();
    }
    return { state: { principal: ctx.state.principal } };
  };
};

/** Lists that are made at once hold some megabytes each; accounts, and the visitors of each, take turns (docs/limits.md). */
const turns = new FairTurns({ running: 8, runningOfOne: 4, waitingOfOne: 1_000 }, databaseAway);

/** The concurrency limit of each member and each program within its account: nobody waits behind another's whole queue. */
const callerTurns = new FairTurns(
  { running: Number.POSITIVE_INFINITY, runningOfOne: 2, waitingOfOne: 1_000 },
  databaseAway,
);

/** Of each visitor's session one is among those of its account, so that none takes the places of all visitors. */
const sessionTurns = new FairTurns(
  { running: Number.POSITIVE_INFINITY, runningOfOne: 1, waitingOfOne: 20 },
  databaseAway,
);

/**
 * Makes a response that takes as much as a list, in the caller's turn; not for one that has hung up by then.
 * @param task gets the caller as it stands when its turn has come, and shows what that one sees
 * @throws ParlorError `throttled` when too many of the caller's wait, what `whenHungUp` gives, and what its credential is refused with by then
 */
export const inTurn = <T>(ctx: Context, task: (now: Caller) => Promise<T>): Promise<T> => {
  const { kind, owner, scope } = ctx.state.principal ?? { kind: 'public', owner: '', scope: '' };
  const gone = whenHungUp(ctx);
  const caller = callerNow(ctx);
  const inItsTurn = async (): Promise<T> => task(await caller());
  const amongOwners = () => turns.run(`${kind} ${owner}`, inItsTurn, gone);
  const amongCallers = kind === 'visitor' ? sessionTurns : callerTurns;
  return kind === 'public' ? amongOwners() : amongCallers.run(`${kind} ${owner} ${scope}`, amongOwners, gone);
};
