import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ParlorError } from '../platform/errors.ts';
import { type CountedBody, countedBody, onGrown } from './body-chunks.ts';
import { addressKeys } from './client-address.ts';
import type { Context } from './context.ts';
import type { UnreadBounds } from './unread-bounds.ts';

/** How much of requests' bodies the process keeps (bytes, docs/limits.md); it is in V8's heap while it comes. */
const BOUNDS: UnreadBounds & { ofAccount: number } = {
  ofAddress: 16 * 1_048_576,
  ofAccount: 32 * 1_048_576,
  together: 64 * 1_048_576,
};

/** A shorter body is less than what its connection takes in any case. */
const SHORT_BYTES = 2_048;

/** Whoever sends quickly is not cut off for who comes after it. */
const QUICK_MS = 1_000;

const RETRY_AFTER_S = 5;

/** All bodies of one address, or for one account. */
interface Holder {
  name: string;
  bytes: number;
  bodies: number;
}

interface HeldRequest {
  sender: Holder;
  /** Whose data it works on; those of whoever has no credential are nobody's. */
  account: Holder | undefined;
  bytes: number;
  /** `performance.now()` */
  since: number;
  socket: Socket;
  isWhole: boolean;
  /** It is read or worked on, whether its client is there or not. */
  isWorkedOn: boolean;
}

/** A body that is counted until its response and the work on it have ended. */
export interface HeldBody {
  /** It has come whole, and is not cut off any more. */
  whole(): void;
  /** Its reader has failed, and keeps nothing of it. */
  drop(): void;
}

/** Those whose response, or the work on them, is yet to end. */
const held = new Set<HeldRequest>();
const byResponse = new WeakMap<ServerResponse, HeldRequest>();
const senders = new Map<string, Holder>();
const accounts = new Map<string, Holder>();
let together = 0;

const holderIn = (all: Map<string, Holder>, name: string): Holder => {
  const holder = all.get(name) ?? { name, bytes: 0, bodies: 0 };
  holder.bodies++;
  all.set(name, holder);
  return holder;
};

const leave = (all: Map<string, Holder>, holder: Holder | undefined): void => {
  if (holder && --holder.bodies === 0) all.delete(holder.name);
};

const count = (one: HeldRequest, bytes: number): void => {
  const more = bytes - one.bytes;
  one.sender.bytes += more;
  if (one.account) one.account.bytes += more;
  together += more;
  one.bytes = bytes;
};

const drop = (one: HeldRequest): void => {
  if (!held.delete(one)) return;
  count(one, 0);
  leave(senders, one.sender);
  leave(accounts, one.account);
};

const isAccountOver = ({ account }: HeldRequest): boolean =>
  account !== undefined && account.bytes > BOUNDS.ofAccount;

const tooMuch = (): ParlorError =>
  new ParlorError('unavailable', 'Too much is being sent to the server at once. Try again.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });

/**
 * Whose connection is cut off first for one that lacks room: what is under way for a second, of the address that holds the most
 * what has held the most for the longest; then what comes quickly, of addresses that hold more than its own. Nobody is for who
 * holds more, nor for another account that has no room. Each look ends a request, so that all together are linear in the requests for each.
 */
const firstToGo = (grown: HeldRequest, now: number): HeldRequest | undefined => {
  const { sender: own } = grown;
  const isOver = own.bytes > BOUNDS.ofAddress;
  const isOfOthers = ({ account }: HeldRequest): boolean => isAccountOver(grown) && account !== grown.account;
  let first: HeldRequest | undefined;
  let isFirstSlow = false;
  const weight = ({ bytes, since }: HeldRequest): number => bytes * (now - since + 1);
  for (const one of held) {
    const { sender, isWhole, bytes } = one;
    if (isWhole || bytes === 0 || isOfOthers(one)) continue;
    if (isOver ? sender !== own : sender.bytes < own.bytes) continue;
    const isSlow = now - one.since >= QUICK_MS;
    if (!isSlow && sender.bytes === own.bytes) continue;
    const isBefore =
      !first ||
      (isSlow !== isFirstSlow
        ? isSlow
        : sender.bytes > first.sender.bytes ||
          (sender.bytes === first.sender.bytes && weight(one) > weight(first)));
    if (!isBefore) continue;
    first = one;
    isFirstSlow = isSlow;
  }
  return first;
};

/** Cuts others off where there is no room for one that has grown. @throws ParlorError `unavailable` where that one has to go */
const makeRoom = (grown: HeldRequest): void => {
  const now = performance.now();
  const { sender } = grown;
  while (sender.bytes > BOUNDS.ofAddress || isAccountOver(grown) || together > BOUNDS.together) {
    const one = firstToGo(grown, now) ?? grown;
    drop(one);
    if (one === grown) throw tooMuch();
    one.socket.resetAndDestroy();
  }
};

/** Counts what comes of a body, and ends its reader, which lets go of all of it, where there is no room. */
const countAsItComes = (one: HeldRequest, req: IncomingMessage, body: CountedBody): void => {
  // Node.js ends the process for an error that nobody hears, as where the reader has just ended by itself.
  req.on('error', () => undefined);
  onGrown(req, () => {
    if (!held.has(one) || one.isWhole) return;
    count(one, body.keptBytes);
    try {
      makeRoom(one);
    } catch (error) {
      req.emit('error', error);
    }
  });
};

/**
 * Counts what has come of a body, until its response and the work on it have ended. Beyond the bounds connections are cut off whose bodies are
 * under way for a second: of the addresses that hold the most, those with the most for the longest.
 * @param mostBytes what it may have: a short one does not count, nor does what was announced and does not come
 * @throws ParlorError `unavailable` where there is no room even so; its reader fails with the same where there is none later
 */
export const holdRequestBody = (
  { ip, req, res, state }: Context,
  mostBytes: number,
): HeldBody | undefined => {
  if (mostBytes <= SHORT_BYTES) return undefined;
  // A /48 has 65 536 networks, each of which would have a share of its own.
  const { address: own, network: address = own } = addressKeys(ip);
  const owner = state.principal?.owner;
  const one: HeldRequest = {
    sender: holderIn(senders, address),
    account: owner === undefined ? undefined : holderIn(accounts, owner),
    bytes: 0,
    since: performance.now(),
    socket: req.socket,
    isWhole: false,
    isWorkedOn: true,
  };
  held.add(one);
  byResponse.set(res, one);
  const over = () => !one.isWorkedOn && drop(one);
  res.once('finish', over).once('close', over);
  const body = countedBody(req);
  count(one, body?.keptBytes ?? mostBytes);
  makeRoom(one);
  if (body) countAsItComes(one, req, body);
  return {
    whole: () => {
      one.isWhole = true;
    },
    drop: () => drop(one),
  };
};

/**
 * Counts what a body becomes, where that is more than has come.
 * @throws ParlorError `unavailable` where there is no room for it
 */
export const holdParsedBody = ({ res }: Pick<Context, 'res'>, bytes: number): void => {
  const one = byResponse.get(res);
  if (!one || !held.has(one) || bytes <= one.bytes) return;
  count(one, bytes);
  makeRoom(one);
};

/**
 * Reads a body and works on it: what came counts until that has ended, too, since a client that hangs up takes nothing of it out
 * of memory.
 * @throws whatever `work` throws
 */
export const workOnBody = async (
  { res }: Pick<Context, 'res'>,
  work: () => Promise<unknown>,
): Promise<void> => {
  try {
    await work();
  } finally {
    const one = byResponse.get(res);
    if (one) {
      one.isWorkedOn = false;
      if (res.destroyed || res.writableFinished) drop(one);
    }
  }
};
