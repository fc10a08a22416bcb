import { PNG } from 'pngjs';

/** Fewer pixels of a colour than this are the edge of a letter or a stray one. */
const MIN_PIXELS = 6;

/** Relative luminance (WCAG 2.2) of 0xrrggbb. */
const luminance = (color: number): number =>
  [16, 8, 0].reduce((sum, shift, at) => {
    const part = ((color >> shift) & 255) / 255;
    const linear = part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    return sum + linear * ([0.2126, 0.7152, 0.0722][at] as number);
  }, 0);

/**
 * The contrast (WCAG 2.2, 1 to 21) in a picture between its ground, the colour that most of it has, and what stands
 * out of it most.
 */
export const contrastIn = (picture: Buffer): number => {
  const { data } = PNG.sync.read(picture);
  const counts = new Map<number, number>();
  for (let at = 0; at < data.length; at += 4) {
    const color = data.readUIntBE(at, 3);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const colors = [...counts].filter(([, count]) => count >= MIN_PIXELS).sort(([, a], [, b]) => b - a);
  const ground = luminance(colors[0]?.[0] ?? 0);
  return Math.max(
    ...colors.map(([color]) => {
      const other = luminance(color);
      return (Math.max(ground, other) + 0.05) / (Math.min(ground, other) + 0.05);
    }),
  );
};
