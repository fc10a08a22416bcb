import type { Doc } from '../bson/document.ts';
import { isDocument } from '../bson/values.ts';
import { badValue, failedToParse } from '../errors/mongo-error.ts';
import { compileNode } from '../matcher/filter.ts';
import type { ArrayFilters } from './apply.ts';

/** Compiles `arrayFilters`; `used` are the names that the update's paths mention. */
export function compileArrayFilters(filters: Doc[], used: Map<string, string>): ArrayFilters {
  const compiled: ArrayFilters = new Map();
  for (const filter of filters) {
    const names = [...new Set(topNames(filter))];
    const name = names[0];
    if (name === undefined) {
      throw failedToParse('Cannot use an expression without a top-level field name in arrayFilters');
    }
    if (names.length > 1) {
      throw failedToParse(
        `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${name}' and '${names[1]}'`,
      );
    }
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
      throw badValue(
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
      );
    }
    if (compiled.has(name)) {
      throw failedToParse(`Found multiple array filters with the same top-level field name ${name}`);
    }
    const node = compileNode(filter);
    compiled.set(name, (element) => node({ [name]: element }, undefined));
  }
  for (const name of compiled.keys()) {
    if (!used.has(name))
      throw failedToParse(`The array filter for identifier '${name}' was not used in the update`);
  }
  for (const [name, path] of used) {
    if (!compiled.has(name))
      throw badValue(`No array filter found for identifier '${name}' in path '${path}'`);
  }
  return compiled;
}

function topNames(filter: Doc): string[] {
  return Object.entries(filter).flatMap(([name, value]) => {
    if (!name.startsWith('$')) return [name.split('.')[0] as string];
    return Array.isArray(value) ? value.filter(isDocument).flatMap(topNames) : [];
  });
}
