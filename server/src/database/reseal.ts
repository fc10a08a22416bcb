import { placeOf, type Secrets } from '../platform/secrets.ts';
import { Tries } from '../platform/tries.ts';
import {
  beginRotation,
  endRotation,
  foreignKeys,
  keepPresentKeyOnly,
  type SealedDatabase,
} from './key-record.ts';
import { nameOf, type SealedValue, sealedCollections } from './sealed-values.ts';

/** How much was sealed anew. */
export interface Resealed {
  documents: number;
  /** Values that were sealed by the current key already. */
  unchanged: number;
  /** Only where there are any. */
  unopened?: Unopened;
}

/** Values that open by neither key, which stay as they are. */
export interface Unopened {
  count: number;
  /** Collection, `_id` and field of the first ones. */
  named: string[];
  /** The keys that may have sealed one, by fingerprint: as long as there are any, the database takes all its keys. */
  keys: string[];
}

/** Values that are named; the others are counted. */
const MAX_NAMED = 20;

/**
 * Seals every sealed value anew with the current SECRET_KEY, in the place where it stands, and makes the keyed hashes
 * by which tokens and keys are found from it. Servers may run meanwhile, as long as they have both keys; after an
 * interruption, doing it again goes on. From then on the database takes the current key alone, unless a key that is not
 * given may have sealed what opens by neither.
 * @param checkOthers asked whether whoever else is on the database seals by it, too, before and after; where it throws, the
 *   database goes on taking all its keys
 */
export const reseal = async (
  database: SealedDatabase,
  secrets: Secrets,
  progress: (state: string) => void,
  checkOthers: () => Promise<void> = async () => undefined,
): Promise<Resealed> => {
  // First, so that whoever comes after the others were asked refuses.
  await beginRotation(database, secrets);
  try {
    await checkOthers();
    const done = await sealAll(database, secrets, progress);
    if (done.unopened?.keys.length) return done;
    await checkOthers();
    await keepPresentKeyOnly(database, secrets);
    return done;
  } finally {
    // Where it stays, the next one ends it.
    await endRotation(database).catch(() => undefined);
  }
};

const sealAll = async (
  database: SealedDatabase,
  secrets: Secrets,
  progress: (state: string) => void,
): Promise<Resealed> => {
  const done: Resealed = { documents: 0, unchanged: 0 };
  const unopened: Unopened = { count: 0, named: [], keys: [] };
  const note = async (value: SealedValue): Promise<void> => {
    if (++unopened.count <= MAX_NAMED) unopened.named.push(nameOf(value));
    for (const key of await foreignKeys(database, secrets, value)) {
      if (!unopened.keys.includes(key)) unopened.keys.push(key);
    }
  };
  let read = 0;
  for (const { name, model, sealed, keyed } of sealedCollections(database.collections)) {
    const hashOf = (field: string): string | undefined => {
      const hash = field.replace(/_sealed$/, '_fingerprint');
      return keyed.has(hash) ? hash : undefined;
    };
    for await (const { _id } of model.find({}, { _id: 1 }).sort({ _id: 1 }).lean().cursor()) {
      progress(`${name}: ${++read} documents`);
      for (const tries = new Tries('the sealing of a document'); ; ) {
        tries.next();
        const document = await model.findOne({ _id }).lean();
        if (!document) break;
        const seen: Record<string, unknown> = { _id };
        const set: Record<string, string> = {};
        const damaged: SealedValue[] = [];
        let unchanged = 0;
        for (const field of sealed) {
          const text = document[field];
          if (typeof text !== 'string') continue;
          const place = placeOf(document, field);
          if (!secrets.opens(text, place)) {
            damaged.push({ collection: name, document, field, text });
            continue;
          }
          const plain = secrets.decrypt(text, place);
          const hash = hashOf(field);
          const fingerprint = hash && secrets.fingerprint('token-fingerprint', plain);
          if (secrets.isCurrent(text, place) && (!hash || document[hash] === fingerprint)) {
            unchanged++;
            continue;
          }
          seen[field] = text;
          set[field] = secrets.encrypt(plain, place);
          if (hash && fingerprint) set[hash] = fingerprint;
        }
        if (Object.keys(set).length > 0) {
          // Compare-and-set: what somebody replaced meanwhile is looked at again.
          const { modifiedCount } = await model.updateOne(seen as never, { $set: set });
          if (modifiedCount === 0) continue;
          done.documents++;
        }
        done.unchanged += unchanged;
        for (const value of damaged) await note(value);
        break;
      }
    }
  }
  return unopened.count > 0 ? { ...done, unopened } : done;
};
