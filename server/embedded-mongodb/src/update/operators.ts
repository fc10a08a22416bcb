import { Int32 } from 'bson';
import { compareValues } from '../bson/compare.ts';
import type { Doc } from '../bson/document.ts';
import { type Numeric, numeric } from '../bson/numbers.ts';
import { isDocument, isSame, MISSING, typeName } from '../bson/values.ts';
import { badValue, mongoError, refused } from '../errors/mongo-error.ts';
import { applyArithmetic, calculate } from './arithmetic.ts';
import { compileAddToSet, compilePop, compilePull, compilePullAll, compilePush } from './array-operators.ts';
import type { Leaf } from './tree.ts';

/** Makes the operator for one path; the operand is checked here, before any document is touched. */
export type OperatorCompiler = (path: string, operand: unknown) => Omit<Leaf, 'kind' | 'path'>;

/** Every update operator of this database but `$rename`, which has two paths. */
export const OPERATORS: Record<string, OperatorCompiler> = {
  $set: (_path, operand) => ({
    absent: 'create',
    apply: (value) => (value !== MISSING && isSame(value, operand) ? value : operand),
  }),
  $setOnInsert: (_path, operand) => ({
    absent: 'create',
    isIdle: (context) => !context.isInsert,
    apply: () => operand,
  }),
  $unset: () => ({ absent: 'ignore', apply: () => MISSING }),
  $inc: (path, operand) => arithmetic('$inc', path, operand),
  $mul: (path, operand) => arithmetic('$mul', path, operand),
  $min: (_path, operand) => ({
    absent: 'create',
    apply: (value) => (value === MISSING || compareValues(operand, value) < 0 ? operand : value),
  }),
  $max: (_path, operand) => ({
    absent: 'create',
    apply: (value) => (value === MISSING || compareValues(operand, value) > 0 ? operand : value),
  }),
  $currentDate: (_path, operand) => currentDate(operand),
  $push: (path, operand) => ({ absent: 'create', apply: compilePush(path, operand) }),
  $addToSet: (path, operand) => ({ absent: 'create', apply: compileAddToSet(path, operand) }),
  $pop: (path, operand) => ({ absent: 'keep', apply: compilePop(path, operand) }),
  $pull: (_path, operand) => ({ absent: 'keep', apply: compilePull(operand) }),
  $pullAll: (_path, operand) => ({ absent: 'keep', apply: compilePullAll(operand) }),
};

function arithmetic(name: '$inc' | '$mul', path: string, operand: unknown): Omit<Leaf, 'kind' | 'path'> {
  const number = numeric(operand);
  if (number === undefined) {
    const verb = name === '$inc' ? 'increment' : 'multiply';
    throw mongoError(14, `Cannot ${verb} with non-numeric argument: {${path}: ${JSON.stringify(operand)}}`);
  }
  return {
    absent: 'create',
    apply: (value) => {
      if (value === MISSING) {
        return name === '$inc' ? operand : calculate('*', numeric(new Int32(0)) as Numeric, number);
      }
      if (numeric(value) === undefined) {
        const last = path.slice(path.lastIndexOf('.') + 1);
        throw mongoError(
          14,
          `Cannot apply ${name} to a value of non-numeric type. The document has the field '${last}' of non-numeric type ${typeName(value)}`,
        );
      }
      return applyArithmetic(name, value, number);
    },
  };
}

function currentDate(operand: unknown): Omit<Leaf, 'kind' | 'path'> {
  if (typeof operand !== 'boolean') {
    if (!isDocument(operand)) {
      throw badValue(
        `${typeName(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
      );
    }
    const type = (operand as Doc).$type;
    const unknown = Object.keys(operand).find((name) => name !== '$type');
    if (unknown !== undefined) throw badValue(`Unrecognized $currentDate option: ${unknown}`);
    if (type === 'timestamp') throw refused("$currentDate with {$type: 'timestamp'}");
    if (type !== 'date') {
      throw badValue(
        "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
      );
    }
  }
  return { absent: 'create', apply: (_value, context) => new Date(context.now) };
}
