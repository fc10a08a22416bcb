import type { Doc } from '../bson/document.ts';
import { appendField, fieldsOf, isDocument, isNumber, MISSING } from '../bson/values.ts';
import { mongoError } from '../errors/mongo-error.ts';
import { compileExpression } from '../expression/compile.ts';
import type { Expression, ExpressionContext } from '../expression/expression.ts';
import { heapSize } from '../limits/memory.ts';
import { type Accumulator, compileAccumulator } from './accumulators.ts';
import { groupKey } from './group-key.ts';
import { paced } from './pause.ts';
import type { PipelineEnvironment, Stage } from './stage.ts';

interface Group {
  id: unknown;
  accumulators: Accumulator[];
}

/** `$group`. Groups come in the order of their first document; MongoDB promises none. */
export function compileGroup(spec: unknown, context: PipelineEnvironment): Stage {
  if (!isDocument(spec)) throw mongoError(15947, "a group's fields must be specified in an object");
  const fields = Object.entries(fieldsOf(spec));
  const factories = fields
    .filter(([name]) => name !== '_id')
    .map(([name, value]) => ({ name, make: compileAccumulator(name, value, context) }));
  if (!Object.hasOwn(spec, '_id')) throw mongoError(15955, 'a group specification must include an _id');
  const id = compileId(spec._id, context);
  return function* group(input) {
    const groups = new Map<string, Group>();
    const held = context.memory.begin('$group');
    try {
      for (const doc of input) {
        if (doc === undefined) {
          yield undefined;
          continue;
        }
        const value = id(doc);
        const key = groupKey(value);
        let found = groups.get(key);
        if (found === undefined) {
          held.add(GROUP_BYTES + key.length + heapSize(value) + ACCUMULATOR_BYTES * factories.length);
          found = { id: value, accumulators: factories.map(({ make }) => make(held)) };
          groups.set(key, found);
        }
        for (const accumulator of found.accumulators) accumulator.add(doc);
      }
      const names = factories.map(({ name }) => name);
      yield* paced(results(groups.values(), names));
    } finally {
      held.release();
    }
  };
}

function* results(groups: Iterable<Group>, names: readonly string[]): Generator<Doc, void, void> {
  for (const { id, accumulators } of groups) {
    const result: Doc = { _id: id };
    names.forEach((name, i) => {
      appendField(result, name, accumulators[i]?.result());
    });
    yield result;
  }
}

/** About what a group and an accumulator take in the heap beside their values. */
const GROUP_BYTES = 200;
const ACCUMULATOR_BYTES = 300;

/** A missing id is null; so is a document's only field, while of several fields the missing ones stay away. */
function compileId(spec: unknown, context: ExpressionContext): Expression {
  const expression = compileExpression(spec, context);
  const fields = isDocument(spec) ? fieldsOf(spec) : {};
  const names = Object.keys(fields);
  const isFields = !names[0]?.startsWith('$');
  if (isFields && names.some((name) => typeof fields[name] === 'boolean' || isNumber(fields[name]))) {
    throw mongoError(17390, '$group does not support inclusion-style expressions');
  }
  const only = names.length === 1 && isFields ? names[0] : undefined;
  return (doc) => {
    const value = expression(doc);
    if (only !== undefined && !Object.hasOwn(value as Doc, only)) return { [only]: null };
    return value === MISSING ? null : value;
  };
}
