import { Int32, Long } from 'bson';
import { mongoError, refused } from '../errors.ts';
import type { ExpressionContext } from '../expression/expression.ts';
import { compileExpression } from '../expression.ts';
import { compileMatch } from '../match.ts';
import { asInteger } from '../numbers.ts';
import { checkFieldPath } from '../paths.ts';
import { buildProjection, parseEntries } from '../project/parse.ts';
import {
  addPath,
  applyProjection,
  markReappearing,
  newProjection,
  type Projection,
  removedPaths,
} from '../project/tree.ts';
import { compileSort } from '../sort.ts';
import { fieldsOf, isDocument, isNumber, typeName } from '../values.ts';
import { collect, paced } from './pace.ts';
import type { PipelineContext, PipelineEnvironment, Stage } from './stage.ts';

/** `$match`. */
export function compileMatchStage(spec: unknown): Stage {
  if (!isDocument(spec)) throw mongoError(15959, 'the match filter must be an expression in an object');
  const match = compileMatch(spec);
  return function* matched(input) {
    for (const doc of input) if (doc === undefined || match(doc) !== undefined) yield doc;
  };
}

/** `$sort`; equal documents keep their order. */
export function compileSortStage(spec: unknown, { memory }: PipelineEnvironment): Stage {
  if (!isDocument(spec)) throw mongoError(15973, 'the $sort key specification must be an object');
  if (Object.keys(spec).length === 0) throw mongoError(15976, '$sort stage must have at least one sort key');
  if (Object.hasOwn(spec, '$natural')) checkFieldPath('$natural');
  const compare = compileSort(spec);
  return function* sorted(input) {
    const held = memory.begin('$sort');
    try {
      const documents = yield* collect(input, held);
      // Sorting looks at a document's keys, which may be wrong, only when there is another one.
      if (documents[0] !== undefined) compare(documents[0], documents[0]);
      yield* paced(documents.sort(compare));
    } finally {
      held.release();
    }
  };
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

/** `$project`. */
export function compileProjectStage(spec: unknown, context: PipelineContext): Stage {
  if (!isDocument(spec)) throw mongoError(15969, '$project specification must be an object');
  if (Object.keys(spec).length === 0) {
    throw mongoError(
      51272,
      'Invalid $project :: caused by :: projection specification must have at least one field',
    );
  }
  return projectionStage(buildProjection(parseEntries(spec, false, context), undefined), context);
}

/** `$unset`: the paths to drop. */
export function compileUnset(spec: unknown, context: PipelineContext): Stage {
  if (typeof spec !== 'string' && !Array.isArray(spec)) {
    throw mongoError(31002, '$unset specification must be a string or an array');
  }
  const paths = typeof spec === 'string' ? [spec] : spec;
  if (paths.length === 0) {
    throw mongoError(31119, '$unset specification must be a string or an array with at least one field');
  }
  const projection = newProjection('exclude');
  for (const path of paths) {
    if (typeof path !== 'string') {
      throw mongoError(
        31120,
        '$unset specification must be a string or an array containing only string values',
      );
    }
    checkFieldPath(path);
    addPath(projection, path, undefined);
  }
  return projectionStage(projection, context);
}

/** `$set`, also called `$addFields`. */
export function compileSet(name: string, spec: unknown, context: PipelineContext): Stage {
  if (!isDocument(spec)) {
    throw mongoError(40272, `${name} specification stage must be an object, got ${typeName(spec)}`);
  }
  const projection = newProjection('add');
  for (const [path, value] of Object.entries(fieldsOf(spec))) addComputed(projection, path, value, context);
  return projectionStage(projection, context);
}

function addComputed(projection: Projection, path: string, value: unknown, context: ExpressionContext): void {
  checkFieldPath(path);
  const fields = isDocument(value) ? Object.entries(fieldsOf(value)) : [];
  const isNested = fields.length > 0 && !fields.some(([name]) => name.startsWith('$'));
  if (isNested) {
    for (const [name, inner] of fields) {
      if (name.includes('.')) {
        throw mongoError(40183, `cannot use dotted field name '${name}' in a sub object`);
      }
      addComputed(projection, `${path}.${name}`, inner, context);
    }
    return;
  }
  const expression = compileExpression(value, context);
  try {
    addPath(projection, path, expression);
  } catch {
    throw mongoError(40176, `specification contains two conflicting paths: ${path}`);
  }
}

function projectionStage(projection: Projection, context: PipelineContext): Stage {
  markReappearing(projection, context.removed);
  for (const path of removedPaths(projection)) context.removed.add(path);
  return function* projected(input) {
    for (const doc of input) yield doc && applyProjection(projection, doc, doc);
  };
}

/** Stages of MongoDB's that this database has not; anything else is unknown to both. */
export const REFUSED_STAGES = new Set(
  '$bucket $bucketAuto $changeStream $changeStreamSplitLargeEvent $collStats $currentOp $densify $documents $fill $geoNear $graphLookup $indexStats $listCatalog $listClusterCatalog $listLocalSessions $listSampledQueries $listSearchIndexes $listSessions $lookup $merge $mergeCursors $operationMetrics $out $planCacheStats $querySettings $queryStats $rankFusion $redact $replaceRoot $replaceWith $sample $score $scoreFusion $search $searchBeta $searchMeta $setWindowFields $shardedDataDistribution $sharedDataDistribution $sortByCount $unionWith $vectorSearch'.split(
    ' ',
  ),
);

/** The error for a stage that cannot be compiled. */
export function unknownStage(name: string): Error {
  if (REFUSED_STAGES.has(name) || name.startsWith('$_internal')) return refused(`the pipeline stage ${name}`);
  return mongoError(40324, `Unrecognized pipeline stage name: '${name}'`);
}
