import { Int32 } from 'bson';
import { compareValues } from '../bson/compare.ts';
import { fieldsOf, isDocument, isNullish, isTrue, MISSING, typeName } from '../bson/values.ts';
import { mongoError, refused } from '../errors/mongo-error.ts';
import { compileDivide, compileMultiply, compileToDouble } from './arithmetic.ts';
import { compileDateToString } from './date-to-string.ts';
import type { CompileOperand, Expression } from './expression.ts';
import { argumentsOf, checkIsPath, exactly } from './operands.ts';

type OperatorCompiler = (operand: unknown, compile: CompileOperand) => Expression;

const OPERATORS: Record<string, OperatorCompiler> = {
  $literal: (operand) => () => operand,
  $eq: (operand, compile) => comparison('$eq', operand, compile, (order) => order === 0),
  $ne: (operand, compile) => comparison('$ne', operand, compile, (order) => order !== 0),
  $gt: (operand, compile) => comparison('$gt', operand, compile, (order) => order > 0),
  $gte: (operand, compile) => comparison('$gte', operand, compile, (order) => order >= 0),
  $lt: (operand, compile) => comparison('$lt', operand, compile, (order) => order < 0),
  $lte: (operand, compile) => comparison('$lte', operand, compile, (order) => order <= 0),
  $cmp: (operand, compile) => comparison('$cmp', operand, compile, (order) => new Int32(Math.sign(order))),
  $and: (operand, compile) => {
    const parts = argumentsOf(operand, compile);
    // MongoDB looks at constants first, and then at nothing else when they decide.
    if (constantsOf(operand).some((value) => !isTrue(value))) return () => false;
    return (root) => parts.every((part) => isTrue(part(root)));
  },
  $or: (operand, compile) => {
    const parts = argumentsOf(operand, compile);
    if (constantsOf(operand).some(isTrue)) return () => true;
    return (root) => parts.some((part) => isTrue(part(root)));
  },
  $not: (operand, compile) => {
    const [part] = exactly('$not', 1, operand, compile);
    return (root) => !isTrue(part?.(root));
  },
  $cond: compileCond,
  $ifNull: (operand, compile) => {
    const parts = argumentsOf(operand, compile);
    if (parts.length < 2) throw mongoError(1257300, '$ifNull needs at least two arguments');
    return (root) => {
      let value: unknown = MISSING;
      for (const part of parts) {
        value = part(root);
        if (!isNullish(value)) return value;
      }
      return value;
    };
  },
  $toDouble: compileToDouble,
  $multiply: compileMultiply,
  $divide: compileDivide,
  $objectToArray: (operand, compile) => {
    const [part] = exactly('$objectToArray', 1, operand, compile) as [Expression];
    checkIsPath('$objectToArray', operand);
    return (root) => objectToArray(part(root));
  },
  $dateToString: compileDateToString,
};

/** Compiles `{ $operator: operand }`; operators that this database has not are refused by name. */
export function compileOperator(name: string, operand: unknown, compile: CompileOperand): Expression {
  const compileNamed = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (compileNamed === undefined) throw refused(`the expression ${name}`);
  return compileNamed(operand, compile);
}

function constantsOf(operand: unknown): unknown[] {
  const list = Array.isArray(operand) ? operand : [operand];
  return list.flatMap((value) => {
    if (typeof value === 'string') return value.startsWith('$') ? [] : [value];
    if (Array.isArray(value)) return [];
    if (!isDocument(value)) return [value];
    return Object.hasOwn(value, '$literal') ? [value.$literal] : [];
  });
}

function comparison(
  name: string,
  operand: unknown,
  compile: CompileOperand,
  decide: (order: number) => unknown,
): Expression {
  const [left, right] = exactly(name, 2, operand, compile) as [Expression, Expression];
  return (root) => decide(compareValues(left(root), right(root)));
}

function compileCond(operand: unknown, compile: CompileOperand): Expression {
  let parts: Expression[];
  if (isDocument(operand)) {
    const fields = fieldsOf(operand);
    const unknown = Object.keys(fields).find((name) => !['if', 'then', 'else'].includes(name));
    if (unknown !== undefined) throw mongoError(17083, `Unrecognized parameter to $cond: ${unknown}`);
    parts = ['if', 'then', 'else'].map((name, i) => {
      if (!Object.hasOwn(fields, name)) throw mongoError(17080 + i, `Missing '${name}' parameter to $cond`);
      return compile(fields[name]);
    });
  } else parts = exactly('$cond', 3, operand, compile);
  const [test, then, otherwise] = parts as [Expression, Expression, Expression];
  return (root) => (isTrue(test(root)) ? then(root) : otherwise(root));
}

function objectToArray(value: unknown): unknown {
  if (isNullish(value)) return null;
  if (isDocument(value)) return Object.entries(fieldsOf(value)).map(([k, v]) => ({ k, v }));
  throw mongoError(40390, `$objectToArray requires a document input, found: ${typeName(value)}`);
}
