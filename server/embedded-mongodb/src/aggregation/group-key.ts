import { EJSON } from 'bson';
import { numeric, toDecimal } from '../bson/numbers.ts';
import { fieldsOf, isDocument, MISSING, typeName } from '../bson/values.ts';

/** A text that is the same for two values exactly when MongoDB's comparison calls them equal. */
export function groupKey(value: unknown): string {
  switch (typeName(value)) {
    case 'missing':
      return 'missing';
    case 'int':
    case 'double':
    case 'long':
    case 'decimal':
      return numberKey(value);
    case 'string':
      return JSON.stringify(value);
    case 'symbol':
      return JSON.stringify((value as { value: string }).value);
    case 'array':
      return `[${(value as unknown[]).map(groupKey).join()}]`;
  }
  if (!isDocument(value)) return EJSON.stringify({ v: value }, { relaxed: false });
  const fields = Object.entries(fieldsOf(value)).map(
    ([name, inner]) => `${JSON.stringify(name)}:${groupKey(inner)}`,
  );
  return `{${fields.join()}}`;
}

function numberKey(value: unknown): string {
  const number = numeric(value);
  if (number === undefined || value === MISSING) return 'missing';
  let { kind, negative, coefficient, exponent } = toDecimal(number);
  if (kind !== 'finite') return kind === 'nan' ? 'NaN' : `${negative ? '-' : ''}Infinity`;
  if (coefficient === 0n) return '0';
  while (coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent++;
  }
  return `${negative ? '-' : ''}${coefficient}e${exponent}`;
}
