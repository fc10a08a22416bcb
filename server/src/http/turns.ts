import { databaseAway } from '../database/unavailable.ts';
import { FairTurns } from '../platform/fair-turns.ts';
import type { Context } from './context.ts';
import { whenHungUp } from './hung-up.ts';
import { UnderWay } from './under-way.ts';

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

/** What takes turns: accounts, and in front of them the members and programs of each, or its visitors' sessions. */
interface Turns {
  owners: FairTurns;
  /** Of each member and program: nobody waits behind another's whole queue. */
  callers: FairTurns;
  /** Of each visitor's session one is among those of its account, so that none takes the places of all visitors. */
  sessions: FairTurns;
}

const turnsOf = (running: number, runningOfOne: number, runningOfCaller: number): Turns => {
  const among = (runningOfOne: number, waitingOfOne: number) =>
    new FairTurns({ running: Number.POSITIVE_INFINITY, runningOfOne, waitingOfOne }, databaseAway);
  return {
    owners: new FairTurns({ running, runningOfOne, waitingOfOne: 1_000 }, databaseAway),
    // How many of them wait has the limit of their account (under-way.ts).
    callers: among(runningOfCaller, Number.POSITIVE_INFINITY),
    sessions: among(1, 20),
  };
};

/** Lists that are made at once hold some megabytes each (docs/limits.md#objects-of-an-account). */
const lists = turnsOf(8, 4, 2);

/**
 * Single objects of some hundred KiB take turns of their own: they are quick, and wait behind no list. Those of one caller are
 * still enough to be looked up together.
 */
const largeObjects = turnsOf(32, 16, 16);

/**
 * Makes a response that takes as much as a list, in the caller's turn; not for one that has hung up by then.
 * @param task gets the caller as it stands when its turn has come, and shows what that one sees
 * @throws ParlorError `throttled` when too many of the caller's wait, what `whenHungUp` gives, and what its credential is refused with by then
 */
export const inTurn = <T>(ctx: Context, task: (now: Caller) => Promise<T>): Promise<T> =>
  runIn(lists, ctx, task);

/** `inTurn` for one object that may have some hundred KiB. */
export const objectInTurn = <T>(ctx: Context, task: (now: Caller) => Promise<T>): Promise<T> =>
  runIn(largeObjects, ctx, task);

const underWay = new UnderWay();

const runIn = <T>(
  { owners, callers, sessions }: Turns,
  ctx: Context,
  task: (now: Caller) => Promise<T>,
): Promise<T> => {
  const { kind, owner, scope } = ctx.state.principal ?? { kind: 'public', owner: '', scope: '' };
  const gone = whenHungUp(ctx);
  const caller = callerNow(ctx);
  const inItsTurn = async (): Promise<T> => task(await caller());
  const account = `${kind} ${owner}`;
  const amongOwners = () => owners.run(account, inItsTurn, gone);
  if (kind === 'public') return amongOwners();
  const one = `${account} ${scope}`;
  // Of them an address has few, and each session has few under way.
  if (kind === 'visitor') return sessions.run(one, amongOwners, gone);
  return underWay.run(account, one, () => callers.run(one, amongOwners, gone));
};
