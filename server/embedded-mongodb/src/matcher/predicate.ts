import type { Doc } from '../bson/document.ts';

/** Tests one value. */
export type Test = (value: unknown) => boolean;

/**
 * One condition on a path. `value` looks at each array element and at the array itself; `array` looks at arrays
 * only and tells the element's index, -1 for no element in particular, undefined for no match.
 */
export type Predicate =
  | { kind: 'value'; test: Test }
  | { kind: 'array'; find: (array: unknown[]) => number | undefined }
  | { kind: 'not' | 'all'; parts: Predicate[] };

/** Compiles a whole filter for documents in arrays; handed in, because filters and fields contain each other. */
export type CompileFilter = (filter: Doc) => (doc: Doc, details: undefined) => boolean;
