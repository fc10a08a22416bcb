import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from '../database/database-error.ts';
import type { SenderModel, StoredSender } from './origin-leases.model.ts';
import { LEASE_TIMING } from './origin-leases.ts';

const LOOK_EVERY_MS = 250;

/** How long a server may take that has the key to seal by it: another one that was killed has to be missed first. */
const PATIENCE_MS = 3 * LEASE_TIMING.deadAfter;

const refused = ({ keys = [], sealed_by, command }: StoredSender, key: string): DatabaseError => {
  const [who, until] =
    command === undefined
      ? ['a running server', 'Restart it with this first']
      : [`the command "${command}", which runs,`, 'Give this again when it has ended'];
  if (keys[0] === key) {
    const orAll = command === undefined ? ' or every server has SECRET_KEY' : '';
    return new DatabaseError(
      `${who} still seals with ${sealed_by}, its SECRET_KEY_PREVIOUS: give the command again when it has ended${orAll}`,
    );
  }
  const [current, previous] = keys;
  const other = previous === undefined ? ' alone' : ` and SECRET_KEY_PREVIOUS ${previous}`;
  const has =
    current === undefined
      ? 'is of an older version, which does not say its keys'
      : `has other keys: SECRET_KEY ${current}${other}`;
  return new DatabaseError(`${who} ${has}, and here SECRET_KEY ${key} is set. ${until}`);
};

/**
 * Waits until every server on the database that is alive seals with the key of a fingerprint, and no command with another. One
 * that has written itself down and shows no life for as long as other servers wait for it is dead, and counts for nothing.
 * @param progress told of the waiting
 * @throws DatabaseError where one has another SECRET_KEY, or does not come to seal with it
 */
export const requireKeyOfServers = async (
  senders: SenderModel,
  key: string,
  progress: (state: string) => void,
): Promise<void> => {
  const begun = performance.now();
  const seen = new Map<string, { beat: number; at: number }>();
  for (;;) {
    const now = performance.now();
    const others = (await senders.find({}).lean<StoredSender[]>()).filter((one) => one.sealed_by !== key);
    const waiting = others.filter((one) => {
      const known = seen.get(one._id) ?? { beat: one.beat, at: now };
      seen.set(one._id, known);
      if (known.beat === one.beat) return now - known.at <= LEASE_TIMING.deadAfter;
      // A command keeps the one that it has begun with.
      if (one.keys?.[0] !== key || one.command !== undefined) throw refused(one, key);
      return true;
    });
    const [first] = waiting;
    if (!first) return;
    if (now - begun > PATIENCE_MS) throw refused(first, key);
    progress('waiting for the servers');
    await sleep(LOOK_EVERY_MS);
  }
};
