/**
 * What spreadsheets take for the beginning of a formula, also in its full-width form, and behind what is not seen, which some
 * leave out when they read a file.
 */
const FORMULA = /^[\s\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;

/**
 * A cell of CSV (RFC 4180), always in quotes, so that no other separator divides it either. What a spreadsheet would
 * take for a formula gets an apostrophe before it.
 */
export const csvCell = (text: string): string =>
  `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

/** A line of CSV with its end. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** By it, spreadsheets know that what follows is UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';
