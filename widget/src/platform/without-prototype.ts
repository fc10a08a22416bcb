/**
 * The same options without a prototype. Browsers read options by name, inherited ones too: what a page adds to
 * `Object.prototype` (`method`, `status` …) would count as given.
 */
export const withoutPrototype = <T extends object>(options: T): T =>
  Object.assign(Object.create(null), options);
