/** One family of drawings: 24 units, round strokes of 1.8, the colour of the text around. */
export const PATHS = {
  close: 'M6 6l12 12M18 6 6 18',
  down: 'm6 9.5 6 6 6-6',
  send: 'M12 19V5.5M6 11l6-6 6 6',
  more: 'M12 5a.5.5 0 1 0 .1 0Zm0 6.5a.5.5 0 1 0 .1 0Zm0 6.5a.5.5 0 1 0 .1 0Z',
  person: 'M12 12.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20c1-3.3 3.8-5 7.5-5s6.5 1.7 7.5 5',
};

/** Draws a path; a rare one stands beside its only use. */
export function Icon({ path }: { path: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
