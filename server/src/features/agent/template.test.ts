import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fill } from './template.ts';

const known = new Map([
  ['name', 'Ada'],
  ['full name', 'Ada Lovelace'],
  ['tricky', '{{name}} $1 $&'],
]);

describe('a template', () => {
  it.each([
    ['Hi {{name}}!', 'Hi Ada!'],
    ['{{ name }}{{\tfull name\n}}', 'AdaAda Lovelace'],
    ['{{nobody}}.', '.'],
    ['{{tricky}}', '{{name}} $1 $&'],
    ['{{{name}}}', '{Ada}'],
    ['{{{{name}}}}', '{{Ada}}'],
    ['{{ {{name}} }}', '{{ Ada }}'],
    ['{{}} {{ }}|', '{{}} |'],
    ['{{name} {name}} {{na{me}} {{na}me}} }}{{', '{{name} {name}} {{na{me}} {{na}me}} }}{{'],
    [`{{${'x'.repeat(201)}}}`, `{{${'x'.repeat(201)}}}`],
    [`{{${'x'.repeat(200)}}}`, ''],
    ['', ''],
  ])('%j becomes %j', (template, filled) => {
    expect(fill(template, known)).toBe(filled);
  });

  it('fills what the regular expression fills that says what a placeholder is', () => {
    const pattern = /\{\{\s*([^{}]{1,200}?)\s*\}\}/g;
    const piece = fc.constantFrom('{', '}', '{{', '}}', ' ', 'name', 'x', '\n', '\u00a0', '{{name}}', '😀');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const template = pieces.join('');
        const wanted = template.replace(pattern, (_, name: string) => known.get(name) ?? '');
        expect(fill(template, known)).toBe(wanted);
      }),
      { numRuns: 5_000 },
    );
  });

  it('takes linear time', () => {
    // What took a second a thousand of these: cubic in the spaces.
    const hostile = [
      '{{'.concat(' '.repeat(3_990)),
      '{'.repeat(4_000),
      '{{ '.repeat(1_300),
      '{{a '.repeat(1_000),
    ];
    const begun = performance.now();
    for (let round = 0; round < 100; round++) for (const template of hostile) fill(template, known);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('is at most as long as a message may be', () => {
    const long = new Map([['long', '😀'.repeat(1_000)]]);
    expect(fill('{{long}}'.repeat(500), long)).toBe('😀'.repeat(10_000));
    expect(fill('{{long}}x'.repeat(2), long)).toBe(`${'😀'.repeat(1_000)}x`.repeat(2));
  });
});
