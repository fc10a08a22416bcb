import fc from 'fast-check';
import { expect, test } from 'vitest';
import { palette } from './color.ts';

/** Contrast as WCAG 2.2 defines it, straight piece included. */
function contrast(a: string, b: string): number {
  const luminance = (hex: string) => {
    const digits = hex.slice(1);
    const long = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
    return [0.2126, 0.7152, 0.0722].reduce((sum, weight, at) => {
      const part = Number.parseInt(long.slice(at * 2, at * 2 + 2), 16) / 255;
      return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    }, 0);
  };
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** The fill, the ink and the shade. */
const coloursOf = (color: string) =>
  [...palette(color).matchAll(/--c\d:(#[\da-f]+)(?:;|$)/gi)].map(([, value]) => value ?? '');

test('on every colour the ink has a contrast of at least 4.5', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
      const [fill = '', ink = ''] = coloursOf(`#${value.toString(16).padStart(6, '0')}`);
      expect(contrast(fill, ink)).toBeGreaterThanOrEqual(4.5);
    }),
    { numRuns: 5_000 },
  );
});

test('white is the ink where it can be', () => {
  expect(coloursOf('#2563eb')).toEqual(['#2563eb', '#fff', '#000']);
  expect(coloursOf('#ffd43b')).toEqual(['#ffd43b', '#000', '#fff']);
});

test('short forms are spelt out, transparency is dropped', () => {
  expect(coloursOf('#abc')[0]).toBe('#aabbcc');
  expect(coloursOf('#abcd')[0]).toBe('#aabbcc');
  expect(coloursOf('#AABBCC80')[0]).toBe('#AABBCC');
});

test.each(['', 'red', 'url(https://evil.example/)', '#12', '#fff;background:red', 'var(--x)'])(
  '"%s" is no colour and becomes the default',
  (value) => {
    expect(palette(value)).toBe('--c0:#2563eb;--c1:#fff;--c2:#000');
  },
);
