import { isUuid, jsonType, MAX_ISSUES } from '@parlor/shared';
import type { z } from 'zod';
import { type FieldErrors, invalid, invalidTogether, notFound, throwIfAny } from '../platform/errors.ts';

type ObjectSchema = z.ZodType & { shape: z.core.$ZodShape };

/** The default of a text that may be left out, or undefined for any other field. */
export const defaultText = (schema: z.core.$ZodType | undefined): string | undefined => {
  const { type, defaultValue, innerType } = (schema?._zod.def ?? {}) as {
    type?: string;
    defaultValue?: unknown;
    innerType?: z.core.$ZodType;
  };
  return type === 'default' && innerType?._zod.def.type === 'string' ? String(defaultValue) : undefined;
};

const asObject = (body: unknown): Record<string, unknown> => {
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidTogether(`Invalid data. Expected a dictionary, but got ${jsonType(body)}.`);
  }
  return body as Record<string, unknown>;
};

/** Puts what is wrong at a path into a map of field errors. */
export const addIssue = (errors: FieldErrors, [field, ...rest]: PropertyKey[], message: string): void => {
  const name = String(field ?? 'non_field_errors');
  if (rest.length === 0) {
    const list = Array.isArray(errors[name]) ? errors[name] : [];
    errors[name] = [...list, message];
  } else {
    const inner = errors[name];
    errors[name] = inner === undefined || Array.isArray(inner) ? {} : inner;
    addIssue(errors[name], rest, message);
  }
};

const addAll = (errors: FieldErrors, { issues }: z.ZodError, prefix: PropertyKey[] = []): void => {
  for (const { path, message } of issues.slice(0, MAX_ISSUES))
    addIssue(errors, [...prefix, ...path], message);
};

const check = <T>(schema: z.ZodType<T>, input: unknown): T => {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const errors: FieldErrors = {};
  addAll(errors, result.error);
  throw invalid(errors);
};

/** Null for a text that may be left out means "not given": its default (docs/contract.md#conventions). */
const withoutNullTexts = (
  shape: z.core.$ZodShape,
  body: Record<string, unknown>,
): Record<string, unknown> => {
  const result = { ...body };
  for (const name of Object.keys(body)) {
    // A body may name what every object inherits, such as `constructor`: that is no field.
    const value = Object.hasOwn(shape, name) ? defaultText(shape[name]) : undefined;
    if (body[name] === null && value !== undefined) result[name] = value;
  }
  return result;
};

/**
 * Checks a body for POST and PUT: what is not sent gets its default, unknown and read-only fields are ignored.
 * @throws ParlorError `invalid` with the map of field errors.
 */
export const readObject = <S extends ObjectSchema>(schema: S, body: unknown): z.output<S> =>
  check(schema, withoutNullTexts(schema.shape, asObject(body))) as z.output<S>;

/**
 * Checks a body for PATCH: only what is sent comes back, each field by its own rules.
 * @throws ParlorError `invalid` with the map of field errors.
 */
export const readPatch = <S extends ObjectSchema>(schema: S, body: unknown): Partial<z.output<S>> => {
  const sent = withoutNullTexts(schema.shape, asObject(body));
  const known = Object.entries(sent).filter(([name]) => Object.hasOwn(schema.shape, name));
  const result: Record<string, unknown> = {};
  const errors: FieldErrors = {};
  for (const [name, value] of known) {
    const field = (schema.shape[name] as z.ZodType).safeParse(value);
    if (field.success) result[name] = field.data;
    else addAll(errors, field.error, [name]);
  }
  throwIfAny(errors);
  return result as Partial<z.output<S>>;
};

/**
 * The uuid in a route's path, in lower case.
 * @throws ParlorError `not_found` when it is none (docs/contract.md#conventions).
 */
export const pathUuid = ({ params = {} }: { params?: Record<string, string | undefined> }): string => {
  const value = params.uuid ?? '';
  if (!isUuid(value)) throw notFound();
  return value.toLowerCase();
};
