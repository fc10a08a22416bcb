import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ParlorError } from '../platform/errors.ts';
import { addressKeys } from './client-address.ts';
import type { Context } from './context.ts';
import { beyondBounds, type Unread, type UnreadBounds } from './unread-bounds.ts';

/** How much of requests' bodies the process keeps (bytes, docs/limits.md); it is in V8's heap while it comes. */
const BOUNDS: UnreadBounds = { ofAddress: 16 * 1_048_576, together: 64 * 1_048_576 };

/** A shorter body is less than what its connection takes in any case. */
const SHORT_BYTES = 2_048;

/** Whoever sends quickly is not cut off for who comes after it. */
const QUICK_MS = 1_000;

const RETRY_AFTER_S = 5;

interface HeldRequest extends Unread {
  socket: Socket;
  isWhole: boolean;
}

/** Those whose response is yet to end. */
const held = new Set<HeldRequest>();
const byResponse = new WeakMap<ServerResponse, HeldRequest>();
const ofAddress = new Map<string, number>();
let together = 0;

const count = ({ address }: HeldRequest, bytes: number): void => {
  together += bytes;
  const sum = (ofAddress.get(address) ?? 0) + bytes;
  if (sum > 0) ofAddress.set(address, sum);
  else ofAddress.delete(address);
};

const drop = (one: HeldRequest): void => {
  if (held.delete(one)) count(one, -one.bytes);
};

const tooMuch = (): ParlorError =>
  new ParlorError('unavailable', 'Too much is being sent to the server at once. Try again.', {
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  });

/** Cuts others off where there is no room for one, which has just begun or grown. @throws ParlorError `unavailable` */
const makeRoom = (newcomer: HeldRequest): void => {
  if ((ofAddress.get(newcomer.address) ?? 0) <= BOUNDS.ofAddress && together <= BOUNDS.together) return;
  const now = performance.now();
  for (const one of held) one.isKept = one !== newcomer && (one.isWhole || now - one.since < QUICK_MS);
  const cut = beyondBounds([...held], BOUNDS, now);
  for (const other of cut) {
    drop(other);
    if (other !== newcomer) other.socket.resetAndDestroy();
  }
  if (cut.includes(newcomer)) throw tooMuch();
  // Others have no more than their share, and what has come of them whole is kept.
  if (together > BOUNDS.together) {
    drop(newcomer);
    throw tooMuch();
  }
};

/**
 * Counts a body that begins to come, until its response has ended. Beyond the bounds connections are cut off whose bodies are
 * under way for a second: of the addresses that hold the most, those with the most for the longest.
 * @param bytes the most that it may have
 * @returns what is to be called once it has come whole: it is not cut off any more
 * @throws ParlorError `unavailable` where there is no room even so
 */
export const holdRequestBody = ({ ip, req, res }: Context, bytes: number): (() => void) => {
  if (bytes <= SHORT_BYTES || res.destroyed) return () => undefined;
  // A /48 has 65 536 networks, each of which would have a share of its own.
  const { address: own, network: address = own } = addressKeys(ip);
  const one: HeldRequest = { address, bytes, since: performance.now(), socket: req.socket, isWhole: false };
  held.add(one);
  byResponse.set(res, one);
  count(one, bytes);
  res.once('finish', () => drop(one)).once('close', () => drop(one));
  makeRoom(one);
  return () => {
    one.isWhole = true;
  };
};

/**
 * Counts what a body becomes, where that is more than has come.
 * @throws ParlorError `unavailable` where there is no room for it
 */
export const holdParsedBody = ({ res }: Pick<Context, 'res'>, bytes: number): void => {
  const one = byResponse.get(res);
  if (!one || !held.has(one) || bytes <= one.bytes) return;
  count(one, bytes - one.bytes);
  one.bytes = bytes;
  makeRoom(one);
};
