import { placeOf, type Secrets } from '../platform/secrets.ts';
import { Tries } from '../platform/tries.ts';
import { keepPresentKeyOnly, type SealedDatabase, sealedCollections } from './key-record.ts';

/** How much was sealed anew. */
export interface Resealed {
  documents: number;
  /** Values that were sealed by the current key already. */
  unchanged: number;
}

/**
 * Seals every sealed value anew with the current SECRET_KEY, in the place where it stands, and makes the keyed hashes
 * by which tokens and keys are found from it. Servers may run meanwhile, as long as they have both keys; after an
 * interruption, doing it again goes on. From then on the database takes the current key alone.
 * @throws Error when a value opens by neither key
 */
export const reseal = async (
  database: SealedDatabase,
  secrets: Secrets,
  progress: (state: string) => void,
): Promise<Resealed> => {
  const done: Resealed = { documents: 0, unchanged: 0 };
  let read = 0;
  for (const { name, model, sealed, keyed } of sealedCollections(database)) {
    const hashOf = (field: string): string | undefined => {
      const hash = field.replace(/_sealed$/, '_fingerprint');
      return keyed.has(hash) ? hash : undefined;
    };
    for await (const { _id } of model.find({}, { _id: 1 }).sort({ _id: 1 }).lean().cursor()) {
      progress(`${name}: ${++read} documents`);
      for (const tries = new Tries('the sealing of a document'); ; ) {
        tries.next();
        const document = await model.findOne({ _id }).lean<{ _id: string; account?: string }>();
        if (!document) break;
        const values = document as Record<string, unknown>;
        const seen: Record<string, unknown> = { _id };
        const set: Record<string, string> = {};
        for (const field of sealed) {
          const text = values[field];
          if (typeof text !== 'string') continue;
          const place = placeOf(document, field);
          const plain = secrets.decrypt(text, place);
          const hash = hashOf(field);
          const fingerprint = hash && secrets.fingerprint('token-fingerprint', plain);
          if (secrets.isCurrent(text, place) && (!hash || values[hash] === fingerprint)) {
            done.unchanged++;
            continue;
          }
          seen[field] = text;
          set[field] = secrets.encrypt(plain, place);
          if (hash && fingerprint) set[hash] = fingerprint;
        }
        if (Object.keys(set).length === 0) break;
        // Compare-and-set: what somebody replaced meanwhile is looked at again.
        const { modifiedCount } = await model.updateOne(seen as never, { $set: set });
        if (modifiedCount === 0) continue;
        done.documents++;
        break;
      }
    }
  }
  await keepPresentKeyOnly(database, secrets);
  return done;
};
