import Router from '@koa/router';
import type { State } from './context.ts';

type Layer = Router<State>['stack'][number];
type Match = ReturnType<Router<State>['match']>;

/** By so many segments the paths of the API differ: `/api/v1/rooms`. */
const SEGMENTS = 3;

/** The first segments of a path, by which routes are looked up: letters are alike in both cases, as is a slash at the end. */
export const beginningOf = (path: string): string => {
  let end = 0;
  for (let segment = 0; segment < SEGMENTS && end !== -1; segment++) end = path.indexOf('/', end + 1);
  return (end === -1 ? path.replace(/\/$/, '') : path.slice(0, end)).toLowerCase();
};

/** What routers write for a segment of any text. */
const PARAMETER = /[:{]/;

/** Things with a path, in their order; those whose path begins as a request's are found without looking at the others. */
export class ByBeginning<T> {
  readonly #all: readonly T[];
  readonly #pathOf: (one: T) => string;
  readonly #found = new Map<string, readonly T[]>();
  /** What fits any beginning. */
  readonly #others: readonly T[];

  constructor(all: readonly T[], pathOf: (one: T) => string) {
    this.#all = [...all];
    this.#pathOf = pathOf;
    this.#others = all.filter((one) => this.#beginning(one) === undefined);
    const beginnings = new Set(all.flatMap((one) => this.#beginning(one) ?? []));
    for (const beginning of beginnings) {
      const fits = (one: T) => [beginning, undefined].includes(this.#beginning(one));
      this.#found.set(beginning, this.#all.filter(fits));
    }
  }

  /** Those that a path may fit. */
  of(path: string): readonly T[] {
    return this.#found.get(beginningOf(path)) ?? this.#others;
  }

  #beginning(one: T): string | undefined {
    const beginning = beginningOf(this.#pathOf(one));
    return PARAMETER.test(beginning) ? undefined : beginning;
  }
}

/** Its type tells only how it is called. */
const Base = Router as unknown as new () => Router<State>;

/** A router that tries the routes of a path's own beginning alone: there are more than a hundred, and each is a pattern. */
export class IndexedRouter extends Base {
  #index: ByBeginning<Layer> | undefined;
  #size = 0;

  override match(path: string, method: string): Match {
    if (!this.#index || this.#size !== this.stack.length) {
      this.#index = new ByBeginning(this.stack, (layer) => String(layer.path));
      this.#size = this.stack.length;
    }
    const fitting = this.#index.of(path).filter((layer) => layer.match(path));
    const pathAndMethod = fitting.filter(
      ({ methods }) => methods.length === 0 || methods.includes(method.toUpperCase()),
    );
    return { path: fitting, pathAndMethod, route: pathAndMethod.some(({ methods }) => methods.length > 0) };
  }
}
