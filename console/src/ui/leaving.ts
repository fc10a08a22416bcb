import { effect } from '@preact/signals';

/**
 * Told when the page is left. One listener for all: a browser breaks off what is under way before it tells, and whoever waits
 * for that goes on behind the first listener.
 */
const told: ((event: PageTransitionEvent) => void)[] = [];
let isLeft = false;

addEventListener('pagehide', (event) => {
  isLeft = true;
  for (const one of told) one(event);
});
addEventListener('pageshow', () => {
  isLeft = false;
});

/** Whether the page has been left, and nobody has come back to it: what fails then may have arrived. */
export const hasLeft = (): boolean => isLeft;

/** @param leave is called whenever the page is left */
export const onLeave = (leave: (event: PageTransitionEvent) => void): void => {
  told.push(leave);
};

let isToReload = false;

/** Whether the page is about to begin anew: what it says meanwhile is seen by nobody. */
export const isReloading = (): boolean => isToReload;

/** Begins the page anew, and asks only where something would be gone that the tab does not keep. */
export const reload = (): void => {
  isToReload = true;
  location.reload();
};

/**
 * Has the browser ask before the page is left, while there is something that would be gone with it.
 * @param isThere reads signals
 * @param isKept whether the tab keeps it over a reload
 */
export const askToStay = (isThere: () => boolean, isKept: boolean): void => {
  const stay = (event: BeforeUnloadEvent): void => {
    if (!(isToReload && isKept)) event.preventDefault();
  };
  // Only while it is needed: a page with a listener may not be kept for coming back to.
  effect(() => {
    if (isThere()) addEventListener('beforeunload', stay);
    else removeEventListener('beforeunload', stay);
  });
};
