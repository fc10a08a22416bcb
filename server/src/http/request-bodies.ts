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

/** What is cut off for a newcomer, which may be the newcomer itself. */
const cutFor = (newcomer: HeldRequest): HeldRequest[] => {
  if ((ofAddress.get(newcomer.address) ?? 0) <= BOUNDS.ofAddress && together <= BOUNDS.together) return [];
  const now = performance.now();
  for (const one of held) one.isKept = one.isWhole || (one !== newcomer && now - one.since < QUICK_MS);
  return beyondBounds([...held], BOUNDS, now);
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
  const { address } = addressKeys(ip);
  const one: HeldRequest = { address, bytes, since: performance.now(), socket: req.socket, isWhole: false };
  held.add(one);
  count(one, bytes);
  res.once('finish', () => drop(one)).once('close', () => drop(one));
  const cut = cutFor(one);
  for (const other of cut) {
    drop(other);
    if (other !== one) other.socket.resetAndDestroy();
  }
  if (cut.includes(one)) throw tooMuch();
  return () => {
    one.isWhole = true;
  };
};
