/** Puts the focus where a page begins: into the field that it is about, else on its title. */
export const focusPage = (): void => {
  const page = document.getElementById('content');
  const begin = page?.querySelector<HTMLElement>('[data-begin]') ?? page?.querySelector<HTMLElement>('h1');
  // Whoever comes back is where they were; every other page begins at its top by itself.
  begin?.focus({ preventScroll: true });
};
