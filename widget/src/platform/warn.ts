/** The only way in which the widget speaks to whoever made the page. */
export const warn = (...why: unknown[]): void => console.warn('Parlor:', ...why);
