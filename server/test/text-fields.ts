/** As much of JSON Schema as the OpenAPI document and the frames of the live channel use. */
export interface JsonSchema {
  $ref?: string;
  type?: string | readonly string[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  oneOf?: readonly JsonSchema[];
  anyOf?: readonly JsonSchema[];
  const?: unknown;
  enum?: readonly unknown[];
  example?: unknown;
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxLength?: number;
}

/** Follows a reference of a schema. */
export type Resolve = (reference: string) => JsonSchema;

/** A place in a JSON value where a text may stand. */
export interface TextField {
  /** As in `nodes[].branches[].value`. */
  name: string;
  maxLength: number | undefined;
  /** How many of it may stand side by side in a list; undefined where it is in none, or unbounded. */
  maxItems?: number | undefined;
  isInList: boolean;
  /** Whether the field may stand in this value, and not only in one of another variant. */
  fits(example: unknown): boolean;
  /** The example with the text in this place, or with what has to be around it where the example has none. */
  holding(text: string, example: unknown, times?: number): unknown;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  uuid: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11',
  'date-time': '2026-11-01T12:00:00Z',
};

const typesOf = ({ type }: JsonSchema): readonly string[] => [type ?? []].flat();

/** The simplest value that a schema allows. */
export const sampleOf = (schema: JsonSchema, resolve: Resolve): unknown => {
  if (schema.$ref !== undefined) return sampleOf(resolve(schema.$ref), resolve);
  if (schema.const !== undefined) return schema.const;
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  const [variant] = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  if (variant) return sampleOf(variant, resolve);
  const types = typesOf(schema);
  if (types.includes('object')) return withRequired(schema, {}, resolve);
  if (types.includes('array')) {
    const { items = {}, minItems = 0 } = schema;
    return Array.from({ length: minItems }, () => sampleOf(items, resolve));
  }
  if (types.includes('string')) return EXAMPLES[schema.format ?? ''] ?? 'x';
  if (types.includes('integer') || types.includes('number')) return schema.minimum ?? 1;
  return types.includes('boolean') ? false : null;
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object with all that has to be in it. */
const withRequired = (
  { properties = {}, required = [] }: JsonSchema,
  has: object,
  resolve: Resolve,
): Record<string, unknown> => ({
  ...Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {}, resolve)])),
  ...has,
});

/** Whether an object may be of this variant: what tells variants apart has one of few values. */
const mayBe = ({ properties = {} }: JsonSchema, value: unknown): boolean =>
  isObject(value) &&
  Object.entries(properties).every(([name, { const: only, enum: few }]) => {
    const allowed = only === undefined ? few : [only];
    return !allowed || !(name in value) || allowed.includes(value[name]);
  });

const joined = (outer: string, inner: string): string =>
  /^(?:[[{<]|$)/.test(inner) ? outer + inner : `${outer}.${inner}`;

const fieldsOfObject = (schema: JsonSchema, resolve: Resolve, inside: readonly string[]): TextField[] => {
  const fits = (example: unknown) => mayBe(schema, example);
  const around = (example: unknown) =>
    withRequired(schema, fits(example) ? (example as object) : {}, resolve);
  const { properties = {}, additionalProperties: more, propertyNames } = schema;
  const variant = Object.values(properties).find((inner) => inner.const !== undefined);
  const begin = variant ? `<${variant.const}>.` : '';
  const at = (name: string, shown: string, inner: JsonSchema): TextField[] =>
    textFields(inner, resolve, inside).map((field) => ({
      ...field,
      name: joined(begin + shown, field.name),
      fits,
      holding: (text, example, times) => {
        const whole = around(example);
        return { ...whole, [name]: field.holding(text, whole[name], times) };
      },
    }));
  const others = isObject(more) ? at('x', '{}', more as JsonSchema) : [];
  const named: TextField = {
    name: '{a name}',
    maxLength: propertyNames?.maxLength,
    isInList: false,
    fits,
    holding: (text, example) => ({ ...around(example), [text]: sampleOf(more as JsonSchema, resolve) }),
  };
  return [
    ...Object.entries(properties).flatMap(([name, inner]) => at(name, name, inner)),
    ...others,
    ...(others.length > 0 ? [named] : []),
  ];
};

const fieldsOfArray = (
  { items = {}, maxItems }: JsonSchema,
  resolve: Resolve,
  inside: readonly string[],
): TextField[] =>
  textFields(items, resolve, inside).map((field) => ({
    ...field,
    name: joined('[]', field.name),
    isInList: true,
    maxItems: field.isInList ? field.maxItems : maxItems,
    fits: Array.isArray,
    holding: (text, example, times = 1) => {
      const elements: unknown[] = Array.isArray(example) ? [...example] : [];
      const found = elements.findIndex((one) => field.fits(one));
      const [here, deeper] = field.isInList ? [1, times] : [times, 1];
      const holding = Array(here).fill(field.holding(text, elements[found], deeper));
      elements.splice(found === -1 ? elements.length : found, found === -1 ? 0 : 1, ...holding);
      return elements;
    },
  }));

/** Every place in the values of a schema where a text may stand: in all variants, lists, and objects with any names. */
export const textFields = (
  schema: JsonSchema,
  resolve: Resolve,
  inside: readonly string[] = [],
): TextField[] => {
  const { $ref } = schema;
  if ($ref !== undefined)
    return inside.includes($ref) ? [] : textFields(resolve($ref), resolve, [...inside, $ref]);
  const variants = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  const types = typesOf(schema);
  const text: TextField = {
    name: '',
    maxLength: schema.maxLength,
    isInList: false,
    fits: (example) => typeof example === 'string',
    holding: (said) => said,
  };
  return [
    ...variants.flatMap((one) => textFields(one, resolve, inside)),
    ...(types.includes('string') ? [text] : []),
    ...(types.includes('object') && variants.length === 0 ? fieldsOfObject(schema, resolve, inside) : []),
    ...(types.includes('array') ? fieldsOfArray(schema, resolve, inside) : []),
  ];
};
