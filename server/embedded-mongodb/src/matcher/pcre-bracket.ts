import { refused } from '../errors/mongo-error.ts';
import { caseVariants } from './casefold.ts';
import { CLASSES } from './pcre-classes.ts';
import { invalid, PatternReader } from './pcre-reader.ts';

/** The longest range that is spelled out letter by letter to match either case. */
const MAX_CASELESS_RANGE = 2048;

/** Reads character classes in brackets, and gives them as JavaScript spells them. */
export class BracketReader extends PatternReader {
  protected readonly caseless: boolean;

  constructor(pattern: string, caseless: boolean) {
    super(pattern);
    this.caseless = caseless;
  }

  /** Reads what follows an opening bracket, up to and with the closing one. */
  protected characterClass(): string {
    const negated = this.peek() === '^';
    if (negated) this.at++;
    if (this.peek() === ']') throw refused('a closing bracket first in a regular expression class');
    let source = '';
    for (;;) {
      const from = this.classMember();
      if (from === undefined) break;
      const isRange = this.peek() === '-' && this.peek(1) !== ']' && this.peek(1) !== undefined;
      if (from.set !== undefined) {
        if (isRange) throw refused('a hyphen behind a set in a regular expression class');
        source += from.set;
      } else if (isRange) {
        this.at++;
        const to = this.classMember();
        if (to?.code === undefined) throw refused('a hyphen before a set in a regular expression class');
        if (to.code < from.code) throw invalid('range out of order in character class');
        source += this.range(from.code, to.code);
      } else source += this.range(from.code, from.code);
    }
    return `[${negated ? '^' : ''}${source}]`;
  }

  private classMember(): { set: string; code?: undefined } | { set?: undefined; code: number } | undefined {
    const character = this.peek();
    if (character === undefined) throw invalid('missing terminating ] for character class');
    this.at++;
    if (character === ']') return undefined;
    if (character === '[' && /[:.=]/.test(this.peek() ?? ''))
      throw refused('a POSIX class in a regular expression');
    if (character !== '\\') return { code: character.codePointAt(0) as number };
    const set = CLASSES[this.peek() ?? ''];
    if (set !== undefined) {
      this.at++;
      return { set };
    }
    if (this.peek() === 'b') {
      this.at++;
      return { code: 8 };
    }
    return { code: this.escapedCharacter().codePointAt(0) as number };
  }

  private range(from: number, to: number): string {
    const plain = from === to ? code(from) : `${code(from)}-${code(to)}`;
    if (!this.caseless) return plain;
    if (to - from > MAX_CASELESS_RANGE) throw refused('a very long caseless range in a regular expression');
    const others = new Set<number>();
    for (let at = from; at <= to; at++) {
      for (const variant of caseVariants(at)) if (variant < from || variant > to) others.add(variant);
    }
    return plain + [...others].map(code).join('');
  }
}

/** A character by its number, spelled so that no flag changes it. */
export function code(point: number): string {
  return `\\u{${point.toString(16)}}`;
}
