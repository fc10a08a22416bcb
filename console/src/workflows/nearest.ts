/** How much worse it is to lie beside the way than farther along it. */
const BESIDE = 2;

/** The name of what lies next in the direction of an arrow key; undefined: nothing does. */
export const nearest = (
  places: Iterable<readonly [name: string, place: { x: number; y: number }]>,
  from: { x: number; y: number },
  key: string,
): string | undefined => {
  let found: string | undefined;
  let best = Number.POSITIVE_INFINITY;
  for (const [name, { x, y }] of places) {
    const [dx, dy] = [x - from.x, y - from.y];
    const isUpright = key === 'ArrowDown' || key === 'ArrowUp';
    const sign = key === 'ArrowDown' || key === 'ArrowRight' ? 1 : -1;
    const along = sign * (isUpright ? dy : dx);
    if (along < 1) continue;
    const distance = along + BESIDE * Math.abs(isUpright ? dx : dy);
    if (distance >= best) continue;
    best = distance;
    found = name;
  }
  return found;
};
