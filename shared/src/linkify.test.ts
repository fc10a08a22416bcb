import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkify } from './linkify.ts';

const links = (text: string) =>
  linkify(text).flatMap(({ text: shown, href }) => (href ? [[shown, href]] : []));

test.each([
  ['see https://a.example/x?y=1#z now', [['https://a.example/x?y=1#z', 'https://a.example/x?y=1#z']]],
  ['(https://a.example/x).', [['https://a.example/x', 'https://a.example/x']]],
  ['https://a.example/x_(y), and', [['https://a.example/x_(y)', 'https://a.example/x_(y)']]],
  ['www.a.example!', [['www.a.example', 'https://www.a.example/']]],
  ['write to hello@a.example.', [['hello@a.example', 'mailto:hello@a.example']]],
  ['mailto:hello@a.example', [['mailto:hello@a.example', 'mailto:hello@a.example']]],
  ['HTTP://A.EXAMPLE', [['HTTP://A.EXAMPLE', 'http://a.example/']]],
  [
    'https://xn--e1afmkfd.example/п',
    [['https://xn--e1afmkfd.example/п', 'https://xn--e1afmkfd.example/%D0%BF']],
  ],
])('%s', (text, expected) => {
  expect(links(text)).toEqual(expected);
});

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt://a.example/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'ftp://a.example/',
  'file:///etc/passwd',
  'https://',
  'no.links.here',
])('%s never becomes a link', (text) => {
  expect(links(text)).toEqual([]);
});

test('a link in a script address is only its harmless part', () => {
  for (const [, href] of links('javascript:location="https://a.example/"')) expect(href).toMatch(/^https:/);
});

test('no text is lost or added, whatever it is', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.webUrl(), fc.emailAddress(), fc.constant(' ')), { maxLength: 6 }),
      (parts) => {
        const text = parts.join('');
        const pieces = linkify(text);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        for (const { href } of pieces) if (href) expect(href).toMatch(/^(https?|mailto):/);
      },
    ),
  );
});

test('a long text without addresses takes no time', () => {
  const begin = performance.now();
  linkify('a.'.repeat(5_000));
  linkify(`${'('.repeat(2_000)}https://a.example/${')'.repeat(8_000)}`);
  expect(performance.now() - begin).toBeLessThan(10_000);
});
