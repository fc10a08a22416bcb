import type { z } from 'zod';

interface Definition {
  type: string;
  defaultValue?: unknown;
  innerType?: z.core.$ZodType;
  element?: z.core.$ZodType;
  shape?: z.core.$ZodShape;
  entries?: Record<string, string>;
  values?: unknown[];
  options?: z.core.$ZodType[];
  out?: z.core.$ZodType;
}

const metaOf = (schema: z.core.$ZodType): Record<string, unknown> | undefined =>
  (schema as { meta?: () => Record<string, unknown> | undefined }).meta?.();

/**
 * An example of a schema, put together from those of its fields, so that none is written twice: the field's own
 * example, else its default, else the simplest value of its type.
 */
export const exampleOf = (schema: z.core.$ZodType): unknown => {
  const meta = metaOf(schema);
  if (meta && 'example' in meta) return meta.example;
  const def = schema._zod.def as Definition;
  switch (def.type) {
    case 'default':
      return metaOf(def.innerType as z.core.$ZodType)?.example ?? def.defaultValue;
    case 'nullable':
    case 'optional':
    case 'readonly':
      return exampleOf(def.innerType as z.core.$ZodType);
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape ?? {}).map(([name, field]) => [name, exampleOf(field)]),
      );
    case 'array':
      return [exampleOf(def.element as z.core.$ZodType)];
    case 'enum':
      return Object.values(def.entries ?? {})[0];
    case 'pipe':
      return exampleOf(def.out as z.core.$ZodType);
    case 'literal':
      return def.values?.[0];
    case 'union':
      return exampleOf(def.options?.[0] as z.core.$ZodType);
    case 'boolean':
      return false;
    case 'number':
      return 1;
    case 'string':
      return '';
    default:
      return undefined;
  }
};
