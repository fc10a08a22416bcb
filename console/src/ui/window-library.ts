import { signal } from '@preact/signals';
import type { WindowLibrary } from './row-window.ts';

/** What windows are made with, once it is loaded. */
export const library = signal<WindowLibrary | undefined>(undefined);

let isAskedFor = false;

/** Loads it, unless that was begun; until it is there, lists stay in the page as a whole. */
export const loadLibrary = (): void => {
  if (isAskedFor) return;
  isAskedFor = true;
  import('@tanstack/virtual-core').then(
    (loaded) => {
      library.value = loaded;
    },
    // The network is away, or an update has brought other files.
    () => undefined,
  );
};
