import type { Doc } from '../bson/document.ts';
import { checkFieldPath } from '../bson/field-path.ts';
import { appendField, fieldsOf, getField, isDocument, MISSING } from '../bson/values.ts';
import { failedToParse, mongoError, refused } from '../errors/mongo-error.ts';
import type { Expression, ExpressionContext } from './expression.ts';
import { compileOperator } from './operators.ts';

/** Compiles an aggregation expression: a field path, a literal, a document, an array or an operator. */
export function compileExpression(spec: unknown, context: ExpressionContext): Expression {
  if (typeof spec === 'string' && spec.startsWith('$')) return compilePath(spec, context);
  if (Array.isArray(spec)) {
    const elements = spec.map((element) => compileExpression(element, context));
    return (root) =>
      elements.map((element) => {
        const value = element(root);
        return value === MISSING ? null : value;
      });
  }
  if (!isDocument(spec)) return () => spec;
  const fields = fieldsOf(spec);
  const names = Object.keys(fields);
  const operator = names.find((name) => name.startsWith('$'));
  if (operator !== undefined) {
    if (names.length > 1) {
      throw mongoError(15983, 'An object representing an expression must have exactly one field');
    }
    return compileOperator(operator, fields[operator], (operand) => compileExpression(operand, context));
  }
  return compileDocument(fields, context);
}

function compileDocument(fields: Doc, context: ExpressionContext): Expression {
  const parts = Object.entries(fields).map(([name, value]) => {
    checkFieldPath(name);
    if (name.includes('.')) {
      throw mongoError(16412, `FieldPath field names may not contain '.', given '${name}'.`);
    }
    return { name, expression: compileExpression(value, context) };
  });
  return (root) => {
    const result: Doc = {};
    for (const { name, expression } of parts) {
      const value = expression(root);
      if (value !== MISSING) appendField(result, name, value);
    }
    return result;
  };
}

function compilePath(spec: string, context: ExpressionContext): Expression {
  if (spec === '$') throw mongoError(16872, "'$' by itself is not a valid FieldPath");
  if (!spec.startsWith('$$')) {
    checkFieldPath(spec.slice(1));
    const parts = spec.slice(1).split('.');
    return (root) => followPath(root, parts, 0);
  }
  const [variable, ...rest] = spec.slice(2).split('.');
  if (variable === '') throw failedToParse('empty variable names are not allowed');
  if (rest.length > 0) checkFieldPath(rest.join('.'));
  switch (variable) {
    case 'ROOT':
    case 'CURRENT':
      return (root) => (rest.length === 0 ? root : followPath(root, rest, 0));
    case 'REMOVE':
      return () => MISSING;
    case 'NOW':
      return rest.length === 0 ? () => new Date(context.now) : () => MISSING;
  }
  if (/^[A-Z]/.test(variable as string)) throw refused(`the variable $$${variable}`);
  throw mongoError(17276, `Use of undefined variable: ${variable}`);
}

/** A path in an expression: of an array on the way, each document's value counts, and indexes are names. */
export function followPath(doc: Doc, parts: string[], from: number): unknown {
  const value = getField(doc, parts[from] as string);
  if (from === parts.length - 1) return value;
  if (isDocument(value)) return followPath(value, parts, from + 1);
  if (!Array.isArray(value)) return MISSING;
  const found: unknown[] = [];
  for (const element of value) {
    if (!isDocument(element)) continue;
    const inside = followPath(element, parts, from + 1);
    if (inside !== MISSING) found.push(inside);
  }
  return found;
}
