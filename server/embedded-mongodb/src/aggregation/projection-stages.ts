import { checkFieldPath } from '../bson/field-path.ts';
import { fieldsOf, isDocument, typeName } from '../bson/values.ts';
import { mongoError, refused } from '../errors/mongo-error.ts';
import { compileExpression } from '../expression/compile.ts';
import type { ExpressionContext } from '../expression/expression.ts';
import { buildProjection, parseEntries } from '../projection/parse.ts';
import {
  addPath,
  applyProjection,
  markReappearing,
  newProjection,
  type Projection,
  removedPaths,
} from '../projection/tree.ts';
import type { PipelineContext, Stage } from './stage.ts';

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
  if (projection.mode === 'exclude') refuseAfterSort(projection, context);
  markReappearing(projection, context.removed);
  for (const path of removedPaths(projection)) context.removed.add(path);
  return function* projected(input) {
    for (const doc of input) yield doc && applyProjection(projection, doc, doc);
  };
}

/** MongoDB may leave the fields out before it sorts, by which a place of an array is none any more. */
function refuseAfterSort(projection: Projection, { sortedByPlace }: PipelineContext): void {
  const isInside = (path: string) => path.includes('.') && sortedByPlace.has(path.split('.')[0] as string);
  if (removedPaths(projection).some(isInside))
    throw refused('a sort by a place in an array before fields inside of it are left out');
}
