/** What is open in a pattern: what its finished parts take, and the last one, which a repetition repeats. */
interface Open {
  before: number;
  last: number;
  /** What the group itself takes: the ends of a capture. */
  own: number;
}

/** A repetition with figures. Other braces are characters. */
const FIGURES = /\{(0|[1-9]\d{0,8})(,(0|[1-9]\d{0,8})?)?\}/y;

/** One character or class that is written with a backslash. */
const ESCAPED = /\\(?:p\{[^}]*\}|p[\s\S]|x\{[^}]*\}|x[\da-f]{2}|[0-7]{1,3}|[\s\S])/iuy;

/** Flags for what follows, or a group that is not captured. */
const FLAGS = /\(\?([a-z-]*)([:)])/iy;

/** The beginning of a capture with a name. */
const NAMED = /\(\?P?<\w+>/y;

/** Where a class in brackets ends. */
const afterClass = (source: string, from: number): number => {
  let at = from + 1;
  if (source[at] === '^') at++;
  // The first one is a character of the class.
  if (source[at] === ']') at++;
  while (at < source.length && source[at] !== ']') {
    const named = source.startsWith('[:', at) ? source.indexOf(':]', at + 2) : -1;
    if (named >= 0) at = named + 2;
    else at += source[at] === '\\' ? 2 : 1;
  }
  return at + 1;
};

/** What a part takes that is repeated, as RE2 writes it out: `a{2,4}` is `aa(a(a)?)?`. */
const repeated = (size: number, least: number, most: number | undefined): number => {
  if (most === undefined) return Math.max(1, least) * size + 2;
  return Math.max(1, most * size + Math.max(0, most - least));
};

/**
 * How many instructions RE2 writes for a pattern at most, told from its source alone: writing out what is repeated is what
 * takes the time, and the memory. One that is no pattern has any number.
 */
export const mostInstructions = (source: string): number => {
  const outer: Open[] = [];
  let open: Open = { before: 3, last: 0, own: 0 };
  const add = (size: number): void => {
    open.before += open.last;
    open.last = size;
  };
  const begin = (own: number): void => {
    outer.push(open);
    open = { before: 0, last: 0, own };
  };
  const end = (): void => {
    const size = open.own + Math.max(1, open.before + open.last);
    open = outer.pop() ?? { before: 0, last: 0, own: 0 };
    add(size);
  };
  const matchAt = (expression: RegExp, at: number): RegExpExecArray | null => {
    expression.lastIndex = at;
    return expression.exec(source);
  };
  for (let at = 0; at < source.length; ) {
    const character = source[at];
    if (source.startsWith('\\Q', at)) {
      const close = source.indexOf('\\E', at + 2);
      const quoted = source.slice(at + 2, close < 0 ? source.length : close);
      for (let n = 0; n < quoted.length; n++) add(1);
      at = close < 0 ? source.length : close + 2;
    } else if (character === '\\') {
      add(1);
      at += matchAt(ESCAPED, at)?.[0].length ?? 1;
    } else if (character === '[') {
      add(1);
      at = afterClass(source, at);
    } else if (character === '(') {
      const [written = '(', , kind] = matchAt(FLAGS, at) ?? [];
      if (kind !== ')') begin(kind === ':' ? 0 : 2);
      at += matchAt(NAMED, at)?.[0].length ?? written.length;
    } else if (character === ')') {
      end();
      at++;
    } else if (character === '|') {
      // Each way takes one instruction, and a way that is empty another one.
      add(2);
      add(0);
      at++;
    } else if (character === '*' || character === '+' || character === '?') {
      open.last += 2;
      at++;
    } else {
      const [written, least, more, most] = (character === '{' && matchAt(FIGURES, at)) || [];
      if (written === undefined) add(1);
      else open.last = repeated(open.last, Number(least), more && !most ? undefined : Number(most ?? least));
      at += written?.length ?? 1;
    }
  }
  while (outer.length > 0) end();
  return open.before + open.last;
};
