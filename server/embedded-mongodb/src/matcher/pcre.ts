import { refused } from '../errors/mongo-error.ts';
import { caseVariants } from './casefold.ts';
import { BracketReader, code } from './pcre-bracket.ts';
import { ASSERTIONS, CLASSES, END, END_OR_LAST_NEWLINE, START } from './pcre-classes.ts';
import { invalid } from './pcre-reader.ts';

/**
 * Translates a PCRE pattern, as MongoDB compiles it (UTF, ASCII classes), into a JavaScript expression with the
 * same meaning. Nothing is passed on as it stands: what this does not know is refused by name, because most of
 * what the two have under one spelling differs somewhere (`$`, `.`, `\s`, `\b` and letter case among them).
 */
export function translatePattern(pattern: string, options: string): (text: string) => boolean {
  const source = new Translator(pattern, options).translate();
  const expression = new RegExp(source, 'u');
  const sticky = new RegExp(source, 'uy');
  return (text) => (/[\ud800-\udfff]/.test(text) ? testByCharacter(sticky, text) : expression.test(text));
}

/** V8 looks for empty matches inside of surrogate pairs too; so the places are given to it one by one. */
function testByCharacter(sticky: RegExp, text: string): boolean {
  for (let at = 0; at <= text.length; at++) {
    sticky.lastIndex = at;
    if (sticky.test(text)) return true;
    if ((text.codePointAt(at) as number) > 0xffff) at++;
  }
  return false;
}

interface Term {
  source: string;
  /** Whether a quantifier may follow. */
  repeatable: boolean;
  /** Whether it repeats without bound inside: repeating that again can take exponential time. */
  unbounded: boolean;
}

class Translator extends BracketReader {
  private readonly multiline: boolean;
  private readonly dotAll: boolean;
  private readonly extended: boolean;

  constructor(pattern: string, options: string) {
    super(pattern, options.includes('i'));
    this.multiline = options.includes('m');
    this.dotAll = options.includes('s');
    this.extended = options.includes('x');
  }

  translate(): string {
    const { source } = this.alternatives();
    if (this.at < this.characters.length) throw invalid('unmatched closing parenthesis');
    return source;
  }

  private alternatives(): { source: string; unbounded: boolean } {
    let source = '';
    let unbounded = false;
    for (;;) {
      this.skipComments();
      const next = this.peek();
      if (next === undefined || next === ')') return { source, unbounded };
      if (next === '|') {
        this.at++;
        source += '|';
        continue;
      }
      const term = this.quantified(this.term());
      source += term.source;
      unbounded ||= term.unbounded;
    }
  }

  private skipComments(): void {
    if (!this.extended) return;
    for (;;) {
      const next = this.peek();
      if (next === '#') {
        while (this.peek() !== undefined && this.peek() !== '\n') this.at++;
      } else if (next !== undefined && /[\x85\u200e\u200f\u2028\u2029]/.test(next)) {
        throw refused('white space outside ASCII in an extended regular expression');
      } else if (next === undefined || !/[ \t\n\v\f\r]/.test(next)) return;
      this.at++;
    }
  }

  private term(): Term {
    const character = this.peek() as string;
    this.at++;
    switch (character) {
      case '.':
        return { source: this.dotAll ? '[\\s\\S]' : '[^\\n]', repeatable: true, unbounded: false };
      case '^':
        return assertion(this.multiline ? `(?:${START}|(?<=\\n)(?=[\\s\\S]))` : START);
      case '$':
        return assertion(this.multiline ? `(?=\\n|${END})` : END_OR_LAST_NEWLINE);
      case '(':
        return this.group();
      case '[':
        return { source: this.characterClass(), repeatable: true, unbounded: false };
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
        throw invalid('quantifier does not follow a repeatable item');
      case '{':
        if (this.bounds() !== undefined) throw invalid('quantifier does not follow a repeatable item');
        return this.literal(character);
      default:
        return this.literal(character);
    }
  }

  private literal(character: string): Term {
    const codes = this.caseless
      ? caseVariants(character.codePointAt(0) as number)
      : [character.codePointAt(0) as number];
    const source = codes.length === 1 ? code(codes[0] as number) : `[${codes.map(code).join('')}]`;
    return { source, repeatable: true, unbounded: false };
  }

  private group(): Term {
    let open = '(?:';
    let repeatable = true;
    if (this.peek() === '*') throw refused('the regular expression verb (*');
    if (this.peek() === '?') {
      const kind = this.peek(1);
      if (kind !== ':' && kind !== '=' && kind !== '!')
        throw refused(`the regular expression group (?${kind ?? ''}`);
      open = `(?${kind}`;
      repeatable = kind === ':';
      this.at += 2;
    }
    const { source, unbounded } = this.alternatives();
    if (this.peek() !== ')') throw invalid('missing closing parenthesis');
    this.at++;
    return { source: `${open}${source})`, repeatable, unbounded };
  }

  private quantified(term: Term): Term {
    this.skipComments();
    const quantifier = this.quantifier();
    if (quantifier === undefined) return term;
    if (!term.repeatable) throw refused('a repeated assertion in a regular expression');
    this.skipComments();
    const next = this.peek();
    if (next === '+') throw refused('a possessive quantifier in a regular expression');
    let { source } = quantifier;
    if (next === '?') {
      source += '?';
      this.at++;
    } else if (this.quantifier() !== undefined) {
      throw refused('a quantifier behind a quantifier in a regular expression');
    }
    if (quantifier.unbounded && term.unbounded) {
      throw refused('an unbounded repetition inside of another in a regular expression');
    }
    return {
      source: term.source + source,
      repeatable: false,
      unbounded: term.unbounded || quantifier.unbounded,
    };
  }

  private quantifier(): { source: string; unbounded: boolean } | undefined {
    const next = this.peek();
    if (next === '*' || next === '+' || next === '?') {
      this.at++;
      return { source: next, unbounded: next !== '?' };
    }
    if (next !== '{') return undefined;
    this.at++;
    const bounds = this.bounds();
    if (bounds === undefined) this.at--;
    return bounds;
  }

  private escape(): Term {
    const character = this.peek();
    if (character === undefined) throw invalid('\\ at end of pattern');
    const set = CLASSES[character];
    if (set !== undefined) {
      this.at++;
      return { source: `[${set}]`, repeatable: true, unbounded: false };
    }
    const anchor = ASSERTIONS[character];
    if (anchor !== undefined) {
      this.at++;
      return assertion(anchor);
    }
    return this.literal(this.escapedCharacter());
  }
}

function assertion(source: string): Term {
  return { source, repeatable: false, unbounded: false };
}
