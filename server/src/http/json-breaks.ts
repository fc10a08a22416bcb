/** What may come next. */
type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end';

const WORDS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';
const isHexDigit = (char: string | undefined): boolean => char !== undefined && /^[\da-f]$/i.test(char);

/** Reads the tokens of JSON (RFC 8259), each character once. What reads one says whether it is whole; `at` is where it ended. */
class Scan {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  skipSpace(): void {
    for (;;) {
      const char = this.text[this.at];
      if (char !== ' ' && char !== '\n' && char !== '\t' && char !== '\r') return;
      this.at++;
    }
  }

  scalar(first: string): boolean {
    if (first === '"') return this.string();
    const word = WORDS[first];
    return word === undefined ? this.#number() : this.#word(word);
  }

  string(): boolean {
    this.at++;
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined || char < ' ') return false;
      this.at++;
      if (char === '"') return true;
      if (char === '\\' && !this.#escape()) return false;
    }
  }

  #escape(): boolean {
    const char = this.text[this.at];
    if (char === undefined || !'"\\/bfnrtu'.includes(char)) return false;
    this.at++;
    for (let n = 0; char === 'u' && n < 4; n++) {
      if (!isHexDigit(this.text[this.at])) return false;
      this.at++;
    }
    return true;
  }

  #word(word: string): boolean {
    let read = 0;
    while (read < word.length && this.text[this.at] === word[read]) {
      read++;
      this.at++;
    }
    return read === word.length;
  }

  #number(): boolean {
    if (this.text[this.at] === '-') this.at++;
    if (this.text[this.at] === '0') this.at++;
    else if (!this.#digits()) return false;
    if (this.text[this.at] === '.') {
      this.at++;
      if (!this.#digits()) return false;
    }
    if (this.text[this.at] !== 'e' && this.text[this.at] !== 'E') return true;
    this.at++;
    if (this.text[this.at] === '+' || this.text[this.at] === '-') this.at++;
    return this.#digits();
  }

  #digits(): boolean {
    const first = this.at;
    while (isDigit(this.text[this.at])) this.at++;
    return this.at > first;
  }
}

/** What values of JSON take in V8's heap for each comma, colon and opening bracket, beside their text (bytes, measured). */
const VALUE_BYTES = 48;

/**
 * How deep brackets of a text stand in each other, how many commas, colons and opening brackets it has, and how much of V8's
 * heap its values may take (bytes). What is in its strings does not count.
 */
export const measureJson = (text: string): { depth: number; values: number; heapBytes: number } => {
  let open = 0;
  let depth = 0;
  let values = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') isInString = !isInString;
    else if (isInString) {
      if (char === '\\') at++;
    } else if (char === ']' || char === '}') open--;
    else if (char === '[' || char === '{') {
      values++;
      depth = Math.max(depth, ++open);
    } else if (char === ',' || char === ':') values++;
  }
  // A text with one character beyond latin1 has two bytes for each.
  return { depth, values, heapBytes: 2 * text.length + values * VALUE_BYTES };
};

/**
 * Where a text that is no JSON stops being the start of one, in UTF-16 code units; its length where only more is missing.
 * It takes time and space by the text's length alone.
 */
export const whereJsonBreaks = (text: string): number => {
  const scan = new Scan(text);
  /** What closes the arrays and objects that are open. */
  const closers: (']' | '}')[] = [];
  let expected: Expected = 'value';
  for (;;) {
    scan.skipSpace();
    const char = text[scan.at];
    if (char === undefined) return scan.at;
    const closer = closers[closers.length - 1];
    const mayEnd = expected === 'comma or end' || expected === 'value or end' || expected === 'name or end';
    if (mayEnd && char === closer) {
      closers.pop();
      expected = 'comma or end';
      scan.at++;
    } else if (expected === 'comma or end') {
      if (char !== ',' || closer === undefined) return scan.at;
      expected = closer === ']' ? 'value' : 'name';
      scan.at++;
    } else if (expected === 'colon') {
      if (char !== ':') return scan.at;
      expected = 'value';
      scan.at++;
    } else if (expected === 'name' || expected === 'name or end') {
      if (char !== '"' || !scan.string()) return scan.at;
      expected = 'colon';
    } else if (char === '[' || char === '{') {
      closers.push(char === '[' ? ']' : '}');
      expected = char === '[' ? 'value or end' : 'name or end';
      scan.at++;
    } else {
      if (!scan.scalar(char)) return scan.at;
      expected = 'comma or end';
    }
  }
};
