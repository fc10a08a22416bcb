/** A BSON value as MongoDB writes it in its messages. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return describeDouble(value);
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (Array.isArray(value)) return value.length ? `[ ${value.map(describeValue).join(', ')} ]` : '[]';
  const typed = value as { _bsontype?: string; value?: unknown; toString(): string };
  switch (typed._bsontype) {
    case undefined: {
      const fields = Object.entries(value as object).map(([name, item]) => `${name}: ${describeValue(item)}`);
      return fields.length ? `{ ${fields.join(', ')} }` : '{}';
    }
    case 'ObjectId':
      return `ObjectId('${typed.toString()}')`;
    case 'Double':
      return describeDouble(typed.value as number);
    case 'Binary':
    case 'UUID': {
      const binary = value as { sub_type: number; toString(encoding: string): string };
      if (binary.sub_type === 4) return `UUID("${binary.toString('hex').replace(UUID, '$1-$2-$3-$4-$5')}")`;
      return `BinData(${binary.sub_type}, ${binary.toString('hex').toUpperCase()})`;
    }
    case 'BSONRegExp': {
      const regex = value as { pattern: string; options: string };
      return `/${regex.pattern}/${regex.options}`;
    }
    case 'MinKey':
    case 'MaxKey':
      return typed._bsontype;
    case 'Timestamp': {
      const stamp = value as { t: number; i: number };
      return `Timestamp(${stamp.t}, ${stamp.i})`;
    }
    default:
      return typed.toString();
  }
}

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

function describeDouble(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
