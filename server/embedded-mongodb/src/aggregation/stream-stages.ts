import { Int32, Long } from 'bson';
import type { Doc } from '../bson/document.ts';
import { checkFieldPath } from '../bson/field-path.ts';
import { asInteger, toNumber } from '../bson/numbers.ts';
import { isDocument, isIndex, isNumber, typeName } from '../bson/values.ts';
import { mongoError } from '../errors/mongo-error.ts';
import { heapSize } from '../limits/memory.ts';
import { Pace } from '../limits/pace.ts';
import { compileMatch } from '../matcher/matcher.ts';
import { compileSort } from '../sort/sort.ts';
import { type Sortable, Sorter } from '../sort/sorter.ts';
import { paced } from './pause.ts';
import type { PipelineContext, Stage } from './stage.ts';

/** `$match`. */
export function compileMatchStage(spec: unknown): Stage {
  if (!isDocument(spec)) throw mongoError(15959, 'the match filter must be an expression in an object');
  const match = compileMatch(spec);
  return function* matched(input) {
    for (const doc of input) if (doc === undefined || match(doc) !== undefined) yield doc;
  };
}

/**
 * `$sort`; equal documents keep their order.
 * @param next the stage behind it: of a `$limit` no more are held
 */
export function compileSortStage(
  spec: unknown,
  { memory, sortedByPlace }: PipelineContext,
  next: unknown,
): Stage {
  if (!isDocument(spec)) throw mongoError(15973, 'the $sort key specification must be an object');
  if (Object.keys(spec).length === 0) throw mongoError(15976, '$sort stage must have at least one sort key');
  if (Object.hasOwn(spec, '$natural')) checkFieldPath('$natural');
  const compare = compileSort(spec);
  for (const path of Object.keys(spec)) {
    const [field = '', ...inside] = path.split('.');
    if (inside.some(isIndex)) sortedByPlace.add(field);
  }
  const wanted = isDocument(next)
    ? (toNumber(next.$limit) ?? Number.POSITIVE_INFINITY)
    : Number.POSITIVE_INFINITY;
  return function* sorted(input) {
    const held = memory.begin('$sort');
    try {
      const pace = new Pace();
      const byDocument = (a: SortableDocument, b: SortableDocument) => compare(a.doc, b.doc);
      const sorter = new Sorter(byDocument, wanted, pace, held);
      for (const doc of input) {
        if (doc === undefined) yield undefined;
        else yield* sorter.add({ doc, bytes: heapSize(doc) });
      }
      const inOrder = yield* sorter.inOrder();
      yield* paced(
        inOrder.map(({ doc }) => doc),
        pace,
      );
    } finally {
      held.release();
    }
  };
}

interface SortableDocument extends Sortable {
  doc: Doc;
}

/** `$limit`. */
export function compileLimit(spec: unknown): Stage {
  const limit = wholeNumber('$limit', 5107201, spec);
  if (limit === 0) throw mongoError(15958, 'the limit must be positive');
  return function* limited(input) {
    let left = limit;
    for (const doc of input) {
      yield doc;
      if (doc !== undefined && --left === 0) return;
    }
  };
}

/** `$skip`. */
export function compileSkip(spec: unknown): Stage {
  const skip = wholeNumber('$skip', 5107200, spec);
  return function* skipped(input) {
    let left = skip;
    for (const doc of input) if (doc === undefined || left-- <= 0) yield doc;
  };
}

function wholeNumber(name: string, code: number, value: unknown): number {
  const integer = isNumber(value) ? asInteger(value) : undefined;
  const start = `invalid argument to ${name} stage: Expected`;
  if (!isNumber(value)) throw mongoError(code, `${start} a number in: ${name}: ${typeName(value)}`);
  if (integer === undefined) throw mongoError(code, `${start} an integer: ${name}: ${String(value)}`);
  if (integer < 0n) throw mongoError(code, `${start} a non-negative number in: ${name}: ${integer}`);
  return Number(integer);
}

/** `$count`: one document, or none when there was none. */
export function compileCount(spec: unknown): Stage {
  if (typeof spec !== 'string') throw mongoError(40156, 'the count field must be a non-empty string');
  if (spec === '') throw mongoError(40157, 'the count field must be a non-empty string');
  if (spec.startsWith('$')) throw mongoError(40158, 'the count field cannot be a $-prefixed path');
  if (spec.includes('.')) throw mongoError(40160, "the count field cannot contain '.'");
  return function* counted(input) {
    let count = 0;
    for (const doc of input) {
      if (doc === undefined) yield undefined;
      else count++;
    }
    if (count > 0) yield { [spec]: count <= 0x7fffffff ? new Int32(count) : Long.fromNumber(count) };
  };
}
