import { Schema, type SchemaDefinition } from 'mongoose';
import type { z } from 'zod';

type Shape = z.core.$ZodShape;

/** A stored resource: the API's fields, with `_id` for uuid and Date for datetimes. */
export type Stored<T> = {
  [K in keyof T as K extends 'uuid' ? '_id' : K]: K extends `${string}_at`
    ? Date | Extract<T[K], null>
    : T[K];
};

/** The schema inside the wrappers that say whether a field may be absent or null. */
const unwrap = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { def } = schema._zod as { def: { type: string; innerType?: z.core.$ZodType } };
  return ['default', 'nullable', 'optional'].includes(def.type) && def.innerType
    ? unwrap(def.innerType)
    : schema;
};

const isDatetime = (schema: z.core.$ZodType): boolean =>
  (schema._zod.def as { format?: string }).format === 'datetime';

const TYPES: Record<string, unknown> = {
  string: String,
  enum: String,
  number: Number,
  boolean: Boolean,
  // What is in it was made by the server, in the form in which it is shown.
  array: Schema.Types.Mixed,
  object: Schema.Types.Mixed,
};

/**
 * The mongoose fields of a resource, from its zod schema, so that no field is written down twice. `uuid` becomes
 * `_id`; `leaveOut` names what is not stored, such as a room's messages.
 */
export const storedFields = (
  schema: { shape: Shape },
  leaveOut: readonly string[] = [],
): SchemaDefinition => {
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    if (leaveOut.includes(name)) continue;
    const inner = unwrap(field);
    const type = isDatetime(inner) ? Date : TYPES[inner._zod.def.type];
    if (!type) throw new Error(`no stored type for the field ${name} (${inner._zod.def.type})`);
    fields[name === 'uuid' ? '_id' : name] = { type };
  }
  return fields as SchemaDefinition;
};

/** A moment as the API writes it: `2026-11-21T09:30:00.123+00:00`. */
export const isoDatetime = (date: Date): string => date.toISOString().replace('Z', '+00:00');

/** The API's form of a stored document: the fields of the schema, in its order, and no other. */
export const present = <T>(schema: { shape: Shape }, document: object, more?: object): T => {
  const source = (more ? Object.assign({}, document, more) : document) as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  // zod's `shape` is a getter, and lists present thousands of documents.
  for (const name in schema.shape) {
    const value = name === 'uuid' ? source._id : source[name];
    if (value !== undefined) result[name] = value instanceof Date ? isoDatetime(value) : value;
  }
  return result as T;
};
