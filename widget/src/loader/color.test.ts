import fc from 'fast-check';
import { expect, test } from 'vitest';
import { palette } from './color.ts';

type Rgb = readonly [red: number, green: number, blue: number];

const declared = (color: string): Record<string, string> =>
  Object.fromEntries(
    palette(color)
      .split(';')
      .map((declaration) => declaration.split(':')),
  );

/** Contrast as WCAG 2.2 defines it, straight piece included. */
function contrast(a: Rgb, b: Rgb): number {
  const luminance = (rgb: Rgb) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, weight, at) => {
      const part = (rgb[at] as number) / 255;
      return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    }, 0);
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

test('on every colour the ink has a contrast of at least 4.5', () => {
  const part = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(part, part, part), (rgb) => {
      const ink: Rgb = declared(`rgb(${rgb.join(', ')})`)['--c1'] === '#fff' ? [255, 255, 255] : [0, 0, 0];
      expect(contrast(rgb, ink)).toBeGreaterThanOrEqual(4.5);
    }),
    { numRuns: 5_000 },
  );
});

test('white is the ink where it can be, the shade is its opposite', () => {
  expect(declared('rgb(37, 99, 235)')).toEqual({ '--c0': 'rgb(37,99,235)', '--c1': '#fff', '--c2': '#000' });
  expect(declared('rgb(255, 212, 59)')).toEqual({
    '--c0': 'rgb(255,212,59)',
    '--c1': '#000',
    '--c2': '#fff',
  });
});

test('transparency is dropped', () => {
  expect(declared('rgba(170, 187, 204, 0.5)')['--c0']).toBe('rgb(170,187,204)');
});
