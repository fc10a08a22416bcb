import { type Signal, signal } from '@preact/signals';

/** How each module is fetched. */
export type Loads<M> = { readonly [Name in keyof M]: () => Promise<M[Name]> };

export type LazyModules<M> = { readonly [Name in keyof M]: Signal<M[Name] | undefined> } & {
  /** Fetches a module, once; undefined where it does not load. */
  need<Name extends keyof M>(name: Name): Promise<M[Name] | undefined>;
};

/** The modules as signals: undefined until `need` has fetched them and `arrived` has seen them. One that did not load
 *  is fetched again at the next `need`. */
export function createLazyModules<M>(loads: Loads<M>, arrived: (module: object) => void): LazyModules<M> {
  const fetching: Partial<Record<keyof M, Promise<unknown>>> = {};
  const modules: Record<string, unknown> = {
    need(name: keyof M & string) {
      fetching[name] ??= loads[name]().then(
        (module) => {
          arrived(module as object);
          (modules[name] as Signal).value = module;
          return module;
        },
        () => {
          delete fetching[name];
        },
      );
      return fetching[name];
    },
  };
  for (const name in loads) modules[name] = signal();
  return modules as unknown as LazyModules<M>;
}
