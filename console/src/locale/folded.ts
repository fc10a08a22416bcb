/** A text without case and marks, to compare it with what was typed: "cafe" for "Café". */
export const folded = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase();
