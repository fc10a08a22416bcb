const DEFAULT = '2563eb';
/** The luminance above which white has less than 4.5: 1.05 / 4.5 - 0.05. */
const WHITE_ENDS = 0.1833;

/**
 * The owner's colour made safe to use, as the properties `--c0` (fill), `--c1` (ink) and `--c2` (shade). The ink has
 * a contrast of at least 4.5 on the fill: white where it can be, else black, since one of the two always does. The
 * shade is the ink's opposite: mixed into the fill it only ever raises that contrast. What is not a hex colour
 * becomes the default blue; transparency is dropped, since nobody knows what would shine through.
 */
export function palette(color: string): string {
  let hex = /^#([\da-f]{3,8})$/i.exec(color)?.[1] ?? DEFAULT;
  if (hex.length < 5) hex = hex.replace(/./g, '$&$&');
  // Relative luminance (WCAG 2.2). Its straight piece for the darkest tones is left out: that makes a colour
  // seem at most 0.001 lighter, and black on it is well above 4.5 there.
  const part = (at: number) => ((Number.parseInt(hex.slice(at, at + 2), 16) / 255 + 0.055) / 1.055) ** 2.4;
  const light = 0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4) > WHITE_ENDS;
  return `--c0:#${hex.slice(0, 6)};--c1:${light ? '#000;--c2:#fff' : '#fff;--c2:#000'}`;
}
