/** `$toDouble`, `$multiply` and `$divide`, as Compass asks for the sizes of collections. */
import { Double } from 'bson';
import { numeric } from '../bson/numbers.ts';
import { isDocument, isNullish, typeName } from '../bson/values.ts';
import { refused } from '../errors/mongo-error.ts';
import type { CompileOperand, Expression } from './expression.ts';
import { argumentsOf, checkIsPath, exactly } from './operands.ts';

/** `$toDouble` of a double, an int32 or an int64. */
export function compileToDouble(operand: unknown, compile: CompileOperand): Expression {
  const [part] = exactly('$toDouble', 1, operand, compile) as [Expression];
  checkIsPath('$toDouble', operand);
  return (root) => {
    const value = part(root);
    if (isNullish(value)) return null;
    const number = numeric(value);
    if (!number || number.type === 'decimal') throw refused(`$toDouble of a ${typeName(value)}`);
    return new Double(Number(number.value));
  };
}

/** `$multiply` of doubles. */
export function compileMultiply(operand: unknown, compile: CompileOperand): Expression {
  const parts = argumentsOf(operand, compile);
  if (parts.length < 2) throw refused('$multiply of less than two values');
  checkAreDoubles('$multiply', operand);
  return (root) => {
    const values = parts.map((part) => part(root));
    if (values.some(isNullish)) return null;
    return new Double(values.map((value) => doubleOf('$multiply', value)).reduce((a, b) => a * b));
  };
}

/** `$divide` of one double by another, which is not 0. */
export function compileDivide(operand: unknown, compile: CompileOperand): Expression {
  const [left, right] = exactly('$divide', 2, operand, compile) as [Expression, Expression];
  checkAreDoubles('$divide', operand);
  return (root) => {
    const [dividend, divisor] = [left(root), right(root)];
    if (isNullish(dividend) || isNullish(divisor)) return null;
    const by = doubleOf('$divide', divisor);
    if (by === 0) throw refused('$divide by 0');
    return new Double(doubleOf('$divide', dividend) / by);
  };
}

/** Refuses operands that are neither field paths nor `$toDouble`, for the reason that `checkIsPath` has. */
function checkAreDoubles(name: string, operands: unknown): void {
  for (const operand of operands as unknown[]) {
    const isConverted = isDocument(operand) && Object.hasOwn(operand, '$toDouble');
    if (!isConverted) checkIsPath(name, operand);
  }
}

function doubleOf(operator: string, value: unknown): number {
  if (typeName(value) !== 'double') throw refused(`${operator} of a ${typeName(value)}`);
  return Number(value);
}
