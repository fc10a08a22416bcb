import { createHash } from 'node:crypto';
import type { Model } from 'mongoose';
import { placeOf, type Secrets } from '../platform/secrets.ts';
import type { MappedCollection } from './collection-data.ts';

/** A document with sealed fields. */
export type Holder = { _id: string; account?: string } & Record<string, unknown>;

/** A sealed value, and where it stands. */
export interface SealedValue {
  collection: string;
  document: Holder;
  field: string;
  text: string;
}

/** The collections with sealed fields. */
export const sealedCollections = (collections: readonly MappedCollection[]) =>
  collections.flatMap(({ name, model, data }) => {
    const { sealed = [], keyed = [] } = data.fields;
    return sealed.length === 0
      ? []
      : [{ name, model: model as unknown as Model<Holder>, sealed, keyed: new Set<string>(keyed) }];
  });

/** Every sealed value that none of the keys opens. */
export async function* unopenedValues(
  collections: readonly MappedCollection[],
  secrets: Secrets,
): AsyncGenerator<SealedValue> {
  for (const { name, model, sealed } of sealedCollections(collections)) {
    const fields = Object.fromEntries(['account', ...sealed].map((field) => [field, 1 as const]));
    for await (const document of model.find({}, fields).lean<Holder>().cursor()) {
      for (const field of sealed) {
        const text = document[field];
        if (typeof text !== 'string' || secrets.opens(text, placeOf(document, field))) continue;
        yield { collection: name, document, field, text };
      }
    }
  }
}

/** Collection, `_id` and field, as it is told to operators. */
export const nameOf = ({ collection, document, field }: SealedValue): string =>
  `${collection} ${document._id} ${field}`;

/** By what one that was found to be damaged is known as long as it is not replaced. */
export const markOf = (value: SealedValue): string =>
  `${nameOf(value)} ${createHash('sha256').update(value.text).digest('base64url')}`;
