import { compareValues } from '../bson/compare.ts';
import type { Doc } from '../bson/document.ts';
import { numeric } from '../bson/numbers.ts';
import { fieldsOf, isDocument, isNullish, MISSING } from '../bson/values.ts';
import { mongoError, refused } from '../errors/mongo-error.ts';
import { compileExpression } from '../expression/compile.ts';
import type { ExpressionContext } from '../expression/expression.ts';
import { type HeldMemory, heapSize } from '../limits/memory.ts';
import { groupKey } from './group-key.ts';
import { Summation } from './sum.ts';

/** Takes in one document after the other and gives a result. */
export interface Accumulator {
  add(doc: Doc): void;
  result(): unknown;
}

/** Makes a fresh accumulator for each group, which counts what it holds. */
export type AccumulatorFactory = (held: HeldMemory) => Accumulator;

type State = { add(value: unknown): void; result(): unknown };

const ACCUMULATORS: Record<string, (held: HeldMemory) => State> = {
  $sum: () => summed((sum) => sum.total()),
  $avg: () => summed((sum) => sum.mean()),
  $min: (held) => extreme(-1, held),
  $max: (held) => extreme(1, held),
  $first: (held) => {
    let first: unknown;
    let isSet = false;
    return {
      add(value) {
        if (isSet) return;
        held.add(heapSize(value));
        first = value;
        isSet = true;
      },
      result: () => (first === MISSING ? null : first),
    };
  },
  $last: (held) => {
    let last: unknown = null;
    return {
      add(value) {
        held.add(heapSize(value) - heapSize(last));
        last = value;
      },
      result: () => (last === MISSING ? null : last),
    };
  },
  $push: (held) => {
    const values: unknown[] = [];
    return {
      add(value) {
        if (value === MISSING) return;
        held.add(heapSize(value), '$push');
        values.push(value);
      },
      result: () => values,
    };
  },
  $addToSet: (held) => {
    const values = new Map<string, unknown>();
    return {
      add(value) {
        if (value === MISSING) return;
        const key = groupKey(value);
        if (values.has(key)) return;
        held.add(ENTRY_BYTES + key.length + heapSize(value), '$addToSet');
        values.set(key, value);
      },
      result: () => [...values.values()],
    };
  },
};

/** About what an entry of a map takes beside its key and value. */
const ENTRY_BYTES = 50;

function summed(result: (sum: Summation) => unknown): State {
  const sum = new Summation();
  return {
    add(value) {
      const number = numeric(value);
      if (number !== undefined) sum.add(number);
    },
    result: () => result(sum),
  };
}

/** The least or greatest value; null and missing do not count, of equal values the first stays. */
function extreme(sign: 1 | -1, held: HeldMemory): State {
  let best: unknown = MISSING;
  return {
    add(value) {
      if (isNullish(value)) return;
      if (best !== MISSING && compareValues(value, best) * sign <= 0) return;
      held.add(heapSize(value) - heapSize(best));
      best = value;
    },
    result: () => (best === MISSING ? null : best),
  };
}

const REFUSED = new Set(
  '$stdDevPop $stdDevSamp $mergeObjects $top $topN $bottom $bottomN $firstN $lastN $minN $maxN $percentile $median $accumulator $setUnion $concatArrays'.split(
    ' ',
  ),
);

/** Compiles `field: { $operator: expression }` of a `$group`. */
export function compileAccumulator(
  field: string,
  spec: unknown,
  context: ExpressionContext,
): AccumulatorFactory {
  if (field === '') throw mongoError(12116300, `The field name '' cannot be an empty string`);
  if (field.includes('.')) throw mongoError(40235, `The field name '${field}' cannot contain '.'`);
  if (field.startsWith('$')) throw mongoError(40236, `The field name '${field}' cannot be an operator name`);
  const operators = isDocument(spec) ? fieldsOf(spec) : {};
  const names = Object.keys(operators);
  const name = names[0];
  if (name === undefined) throw mongoError(40234, `The field '${field}' must be an accumulator object`);
  if (names.length > 1) throw mongoError(40238, `The field '${field}' must specify one accumulator`);
  const operand = operators[name];
  if (name === '$count') return countAccumulator(operand);
  if (REFUSED.has(name)) throw refused(`the accumulator ${name}`);
  const make = Object.hasOwn(ACCUMULATORS, name) ? ACCUMULATORS[name] : undefined;
  if (make === undefined) throw mongoError(15952, `unknown group operator '${name}'`);
  if (Array.isArray(operand)) throw mongoError(40237, `The ${name} accumulator is a unary operator`);
  const expression = compileExpression(operand, context);
  return (held) => {
    const state = make(held);
    return { add: (doc) => state.add(expression(doc)), result: state.result };
  };
}

function countAccumulator(operand: unknown): AccumulatorFactory {
  if (!isDocument(operand) || Object.keys(operand).length > 0) {
    throw mongoError(14, '$count takes no arguments, i.e. $count:{}');
  }
  return () => {
    const sum = new Summation();
    return { add: () => sum.add({ type: 'int', value: 1 }), result: () => sum.total() };
  };
}
