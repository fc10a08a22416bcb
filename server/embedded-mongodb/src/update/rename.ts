import type { Doc } from '../bson/document.ts';
import { getField, isDocument, MISSING } from '../bson/values.ts';
import { badValue, mongoError } from '../errors/mongo-error.ts';
import type { Context, Leaf } from './tree.ts';

/** `$rename` as two operators: the target takes the source's value, the source goes. */
export function compileRename(from: string, to: string): { target: Leaf; source: Leaf } {
  const parts = from.split('.');
  const sourceOf = (context: Context) => findSource(context.original, parts, from);
  return {
    target: {
      kind: 'leaf',
      path: to,
      absent: 'create',
      isIdle: (context) => {
        if (sourceOf(context) === MISSING) return true;
        checkNoArray(context.original, to.split('.'), to);
        return false;
      },
      apply: (value, context) => {
        // Unlike $set, $rename puts a new field there, even where the value is the same.
        if (value !== MISSING && /^_id(\.|$)/.test(to)) {
          throw mongoError(
            66,
            `Performing an update on the path '${to}' would modify the immutable field '_id'`,
          );
        }
        return sourceOf(context);
      },
    },
    source: { kind: 'leaf', path: from, absent: 'ignore', apply: () => MISSING },
  };
}

/** An array on the path is an error only where the path leads through it to something. */
function findSource(doc: Doc, parts: string[], path: string): unknown {
  let at: unknown = doc;
  let isInArray = false;
  for (const [i, part] of parts.entries()) {
    if (Array.isArray(at)) {
      if (!/^[0-9]+$/.test(part)) throw notViable(parts[i - 1] as string, path);
      isInArray = true;
      at = Number(part) < at.length ? at[Number(part)] : MISSING;
    } else if (isDocument(at)) at = getField(at, part);
    else throw notViable(parts[i - 1] as string, path);
    if (at === MISSING) return MISSING;
  }
  if (!isInArray) return at;
  throw badValue(`The source field cannot be an array element, '${path}' has an array field`);
}

function notViable(part: string, path: string): Error {
  return mongoError(28, `cannot use the part (${part} of ${path}) to traverse the element`);
}

function checkNoArray(doc: Doc, parts: string[], path: string): void {
  let at: unknown = doc;
  for (const part of parts) {
    if (Array.isArray(at)) throw badValue(`The destination field cannot be an array element, '${path}'`);
    if (!isDocument(at)) return;
    at = getField(at, part);
  }
}

/** Checks the pair of paths; MongoDB does so after it has looked for a conflict at the source. */
export function checkRename(from: string, to: string): void {
  if (from === to) throw badValue(`The source and target field for $rename must differ: ${from}: "${to}"`);
  if (`${from}.`.startsWith(`${to}.`) || `${to}.`.startsWith(`${from}.`)) {
    throw badValue(`The source and target field for $rename must not be on the same path: ${from}: "${to}"`);
  }
  const isDynamic = (path: string) => path.split('.').some((part) => part === '$' || part.startsWith('$['));
  if (isDynamic(from)) throw badValue(`The source field for $rename may not be dynamic: ${from}`);
  if (isDynamic(to)) throw badValue(`The destination field for $rename may not be dynamic: ${to}`);
}
