/** Cuts to `length` code points, never through one (a lone surrogate is refused by the server). */
export const truncate = (text: string, length: number): string => Array.from(text).slice(0, length).join('');
