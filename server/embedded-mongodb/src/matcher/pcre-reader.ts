import { mongoError, refused } from '../errors/mongo-error.ts';

const CONTROLS: Record<string, string> = { n: '\n', t: '\t', r: '\r', f: '\f', e: '\x1b', a: '\x07' };

/** Reads a pattern character by character, and the pieces of it that need no translating. */
export class PatternReader {
  protected readonly characters: string[];
  protected at = 0;

  constructor(pattern: string) {
    this.characters = [...pattern];
  }

  protected peek(ahead = 0): string | undefined {
    return this.characters[this.at + ahead];
  }

  /** `{n}`, `{n,}` or `{n,m}`, standing behind the brace; anything else is no quantifier to PCRE. */
  protected bounds(): { source: string; unbounded: boolean } | undefined {
    const rest = this.characters.slice(this.at, this.at + 16).join('');
    if (/^[0-9 ]*(,[0-9 ]*)?\}/.test(rest) && !/^[0-9]+(,[0-9]*)?\}/.test(rest) && rest[0] !== '}') {
      throw refused(`the regular expression quantifier {${rest.slice(0, rest.indexOf('}'))}}`);
    }
    const found = /^([0-9]+)(,([0-9]*))?\}/.exec(rest);
    if (found === null) return undefined;
    const from = Number(found[1]);
    const to = found[2] === undefined ? from : found[3] === '' ? undefined : Number(found[3]);
    if (from > 65535 || (to ?? 0) > 65535) throw invalid('number too big in {} quantifier');
    if (to !== undefined && from > to) throw invalid('numbers out of order in {} quantifier');
    this.at += found[0].length;
    return { source: `{${found[0]}`, unbounded: to === undefined || to > 100 };
  }

  protected escapedCharacter(): string {
    const character = this.peek();
    if (character === undefined) throw invalid('\\ at end of pattern');
    this.at++;
    if (CONTROLS[character] !== undefined) return CONTROLS[character];
    if (character === 'x') {
      const digits = `${this.peek()}${this.peek(1)}`;
      if (!/^[0-9a-fA-F]{2}$/.test(digits))
        throw refused('the regular expression escape \\x without two digits');
      this.at += 2;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    if (/[A-Za-z0-9]/.test(character) || (character.codePointAt(0) as number) > 127) {
      throw refused(`the regular expression escape \\${character}`);
    }
    return character;
  }
}

/** MongoDB's error for a pattern that PCRE does not compile. */
export function invalid(why: string): Error {
  return mongoError(51091, `Regular expression is invalid: ${why}`);
}
