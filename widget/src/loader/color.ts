/**
 * The owner's colour made safe to use, as declarations: c0 is the fill, c1 the ink, which has a contrast of at least
 * 4.5 on it (white where it can be, else black: one of the two always does).
 *
 * @param computed a colour as browsers compute it: `rgb(37, 99, 235)`. Transparency is dropped, since nobody knows
 *   what would shine through
 */
export const palette = (computed: string): string => {
  const rgb = computed.match(/[\d.]+/g) as unknown as number[];
  // Between a relative luminance of 0.175, from where black has a contrast of 4.5, and 0.183, up to where white has.
  // Relative luminance (WCAG 2.2) in round numbers, 2.8 million for white: no colour is wrong by more than lies
  // between the two.
  const part = (at: number) => (rgb[at] as number) ** 2.2;
  const light = 3 * part(0) + 10 * part(1) + part(2) > 5e5;
  return `--c0:rgb(${rgb.slice(0, 3)});--c1:${light ? '#000' : '#fff'}`;
};
