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
  let least = 21;
  for (let red = 0; red < 256; red += 3)
    for (let green = 0; green < 256; green++)
      for (let blue = 0; blue < 256; blue += 5) {
        const rgb: Rgb = [red, green, blue];
        const ink: Rgb = palette(`rgb(${rgb.join(', ')})`).endsWith('#fff') ? [255, 255, 255] : [0, 0, 0];
        least = Math.min(least, contrast(rgb, ink));
      }
  expect(least).toBeGreaterThanOrEqual(4.5);
});

test('white is the ink where it can be', () => {
  expect(declared('rgb(37, 99, 235)')).toEqual({ '--c0': 'rgb(37,99,235)', '--c1': '#fff' });
  expect(declared('rgb(255, 212, 59)')).toEqual({ '--c0': 'rgb(255,212,59)', '--c1': '#000' });
});

test('transparency is dropped', () => {
  expect(declared('rgba(170, 187, 204, 0.5)')['--c0']).toBe('rgb(170,187,204)');
});
