/** The luminance above which white has less than 4.5: 1.05 / 4.5 - 0.05. */
const WHITE_ENDS = 0.1833;

/**
 * The owner's colour made safe to use, as declarations: c0 is the fill, c1 the ink, which has a contrast of at least
 * 4.5 on it (white where it can be, else black: one of the two always does), and c2 the shade, the ink's opposite:
 * mixed into the fill it only ever raises that contrast.
 *
 * @param computed a colour as browsers compute it: `rgb(37, 99, 235)`. Transparency is dropped, since nobody knows
 *   what would shine through
 */
export function palette(computed: string): string {
  const rgb = computed.match(/[\d.]+/g) as string[];
  // Relative luminance (WCAG 2.2). Its straight piece for the darkest tones is left out: that makes a colour
  // seem at most 0.001 lighter, and black on it is well above 4.5 there.
  const part = (at: number) => ((+(rgb[at] as string) / 255 + 0.055) / 1.055) ** 2.4;
  const light = 0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2) > WHITE_ENDS;
  return `--c0:rgb(${rgb.slice(0, 3)});--c1:${light ? '#000;--c2:#fff' : '#fff;--c2:#000'}`;
}
