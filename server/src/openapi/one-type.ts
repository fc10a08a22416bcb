type Schema = Record<string, unknown>;

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** The choices of a schema; of one that is named, what it says. */
const choicesOf = ({ anyOf }: Schema, named: Schema): Schema[] =>
  (Array.isArray(anyOf) ? (anyOf as Schema[]) : []).map((choice) =>
    typeof choice.$ref === 'string' ? (named[choice.$ref.split('/').at(-1) ?? ''] as Schema) : choice,
  );

/**
 * Says a choice between types by the type (`["string", "null"]`) instead of by a list of schemas, where each keyword is
 * one type's alone: readers of the document show one line for it, and Scalar takes such lists for mistakes.
 * @param named the document's schemas by name
 */
export const typesInOne = (value: unknown, named: Schema): void => {
  if (!isObject(value)) return;
  for (const part of Object.values(value)) typesInOne(part, named);
  const choices = choicesOf(value, named);
  const types = choices.flatMap(({ type }) => type);
  if (choices.length === 0 || types.some((type) => typeof type !== 'string')) return;
  const keywords = choices.flatMap((choice) => Object.keys(choice).filter((key) => key !== 'type'));
  if (new Set([...types, ...keywords]).size < types.length + keywords.length) return;
  const { anyOf, ...own } = value;
  const merged: Schema = Object.assign({}, ...choices, own, { type: types });
  // A list of values binds every type.
  if (Array.isArray(merged.enum) && types.includes('null')) merged.enum = [...merged.enum, null];
  delete value.anyOf;
  Object.assign(value, merged);
};
