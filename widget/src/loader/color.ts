/** White has a contrast of 4.5 up to a luminance of 0.183, black from 0.175 on: between them either will do. */
const WHITE_ENDS = 0.176;

/**
 * The owner's colour made safe to use, as declarations: c0 is the fill, c1 the ink, which has a contrast of at least
 * 4.5 on it (white where it can be, else black: one of the two always does).
 *
 * @param computed a colour as browsers compute it: `rgb(37, 99, 235)`. Transparency is dropped, since nobody knows
 *   what would shine through
 */
export function palette(computed: string): string {
  const rgb = computed.match(/[\d.]+/g) as string[];
  // Relative luminance (WCAG 2.2) in round numbers: no colour is wrong by more than lies between the two.
  const part = (at: number) => (+(rgb[at] as string) / 255) ** 2.2;
  const light = 0.21 * part(0) + 0.7 * part(1) + 0.07 * part(2) > WHITE_ENDS;
  return `--c0:rgb(${rgb.slice(0, 3)});--c1:${light ? '#000' : '#fff'}`;
}
