/** Recorded cases: lists of operations with the answers that MongoDB gave. */
import { readFileSync, writeFileSync } from 'node:fs';
import { EJSON } from 'bson';
import type { Operation } from './operations.ts';
import type { Doc } from './values.ts';

/** A list of operations with MongoDB's answers; the last answer is what the collection then holds. */
export interface Case {
  name: string;
  operations: Operation[];
  answers: string[];
}

const FILE = new URL('./differential-cases.json', import.meta.url);

/** Operators that EJSON would read as a value of a BSON type; the file spells them with one more dollar. */
const AMBIGUOUS = /^\$+(regex|ref|scope|undefined)$/;

/** One case or operation as one line of EJSON. */
export function writeCase(value: unknown): string {
  return EJSON.stringify(renamed(value, (name) => (AMBIGUOUS.test(name) ? `$${name}` : name)) as Doc, {
    relaxed: false,
  });
}

/** All recorded cases. */
export function readCases(): Case[] {
  const parsed = EJSON.parse(readFileSync(FILE, 'utf8'), { relaxed: false });
  return renamed(parsed, (name) => (AMBIGUOUS.test(name.slice(1)) ? name.slice(1) : name)) as Case[];
}

/** Writes all cases back, one per line. */
export function writeCases(cases: Case[]): void {
  writeFileSync(FILE, `[\n${cases.map(writeCase).join(',\n')}\n]\n`);
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((element) => renamed(element, rename));
  const isPlain =
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [rename(name), renamed(inner, rename)]),
  );
}
