import { Long } from 'bson';
import type { Doc } from '../bson/document.ts';
import { checkFieldPath } from '../bson/field-path.ts';
import {
  appendField,
  copyFields,
  fieldsOf,
  getField,
  isDocument,
  MISSING,
  setField,
  typeName,
} from '../bson/values.ts';
import { mongoError, refused } from '../errors/mongo-error.ts';
import { Pace } from '../limits/pace.ts';
import { paced } from './pause.ts';
import type { PipelineContext, Stage } from './stage.ts';

/** `$unwind`: one document per array element. */
export function compileUnwind(spec: unknown, context: PipelineContext): Stage {
  const { path, indexPath, keepsEmpty } = parse(spec);
  if (keepsEmpty) context.removed.add(path.join('.'));
  if (indexPath !== undefined && context.removed.has(indexPath.join('.'))) {
    throw refused(`setting the field '${indexPath.join('.')}' again after a stage that removed it`);
  }
  return function* unwind(input) {
    const pace = new Pace();
    for (const doc of input) {
      if (doc === undefined) {
        yield undefined;
        pace.goOn();
        continue;
      }
      const value = nested(doc, path);
      if (Array.isArray(value) && value.length > 0) {
        yield* paced(
          elements(value, (element, i) =>
            withIndex(replaceNested(doc, path, element), indexPath, Long.fromNumber(i)),
          ),
          pace,
        );
        continue;
      }
      const isEmpty = value === MISSING || value === null || value === undefined || Array.isArray(value);
      if (isEmpty && !keepsEmpty) continue;
      const kept = Array.isArray(value) ? replaceNested(doc, path, MISSING) : doc;
      yield withIndex(kept, indexPath, null);
    }
  };
}

function* elements(array: readonly unknown[], made: (element: unknown, i: number) => Doc): Generator<Doc> {
  for (const [i, element] of array.entries()) yield made(element, i);
}

function parse(spec: unknown): { path: string[]; indexPath: string[] | undefined; keepsEmpty: boolean } {
  if (typeof spec === 'string') return { path: parsePath(spec), indexPath: undefined, keepsEmpty: false };
  if (!isDocument(spec)) {
    throw mongoError(
      15981,
      `expected either a string or an object as specification for $unwind stage, got ${typeName(spec)}`,
    );
  }
  let path: string | undefined;
  let indexPath: string[] | undefined;
  let keepsEmpty = false;
  for (const [name, value] of Object.entries(fieldsOf(spec))) {
    if (name === 'path') {
      if (typeof value !== 'string') {
        throw mongoError(28808, `expected a string as the path for $unwind stage, got ${typeName(value)}`);
      }
      path = value;
    } else if (name === 'preserveNullAndEmptyArrays') {
      if (typeof value !== 'boolean') {
        throw mongoError(
          28809,
          `expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got ${typeName(value)}`,
        );
      }
      keepsEmpty = value;
    } else if (name === 'includeArrayIndex') indexPath = parseIndexPath(value);
    else throw mongoError(28811, `unrecognized option to $unwind stage: ${name}`);
  }
  if (path === undefined) throw mongoError(28812, 'no path specified to $unwind stage');
  return { path: parsePath(path), indexPath, keepsEmpty };
}

function parsePath(path: string): string[] {
  if (!path.startsWith('$')) {
    throw mongoError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  }
  checkFieldPath(path.slice(1));
  return path.slice(1).split('.');
}

function parseIndexPath(value: unknown): string[] {
  if (typeof value !== 'string' || value === '') {
    throw mongoError(
      28810,
      `expected a non-empty string for the includeArrayIndex  option to $unwind stage, got ${typeName(value)}`,
    );
  }
  if (value.startsWith('$')) {
    throw mongoError(
      28822,
      `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${value}`,
    );
  }
  checkFieldPath(value);
  return value.split('.');
}

/** A path through documents only: `$unwind` does not look inside arrays on the way. */
function nested(doc: Doc, path: string[]): unknown {
  let at: unknown = doc;
  for (const part of path) at = isDocument(at) ? getField(at, part) : MISSING;
  return at;
}

function withIndex(doc: Doc, path: string[] | undefined, index: Long | null): Doc {
  return path === undefined ? doc : replaceNested(doc, path, index);
}

function replaceNested(doc: Doc, path: string[], value: unknown): Doc {
  const name = path[0] as string;
  const result = copyFields(doc);
  const before = getField(doc, name);
  let after = value;
  if (path.length > 1) {
    if (before !== MISSING && !isDocument(before))
      throw refused("$unwind's index in a field that is no document");
    after = replaceNested(before === MISSING ? {} : before, path.slice(1), value);
  }
  if (after === MISSING) delete result[name];
  else if (before === MISSING) appendField(result, name, after);
  else setField(result, name, after);
  return result;
}
