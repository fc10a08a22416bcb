/**
 * The literal beginning that every string matched by a regular expression has, when it is anchored (`^abc`)
 * and has no options that change what that means; undefined else.
 */
export function regexPrefix(value: unknown): string | undefined {
  const { source, flags } = parts(value);
  if (flags !== '' || !source.startsWith('^') || source.includes('|')) return undefined;
  let prefix = '';
  for (let i = 1; i < source.length; i++) {
    let char = source[i] as string;
    if (char === '\\') {
      const escaped = source[i + 1];
      if (escaped === undefined || /[0-9a-zA-Z\0]/.test(escaped)) break;
      char = escaped;
      i++;
    } else if ('.[]()*+?{}$^'.includes(char) || char === '\0') {
      // A quantifier makes the character before it optional.
      if ('*?{'.includes(char)) prefix = [...prefix].slice(0, -1).join('');
      break;
    }
    const next = source[i + 1];
    if (next !== undefined && '*?{'.includes(next)) break;
    prefix += char;
  }
  return prefix === '' ? undefined : prefix;
}

function parts(value: unknown): { source: string; flags: string } {
  if (typeof value === 'string') return { source: value, flags: '' };
  if (value instanceof RegExp) return { source: value.source, flags: value.flags };
  const { pattern, options } = value as { pattern: string; options: string };
  return { source: pattern, flags: options };
}
