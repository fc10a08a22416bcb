import { signal } from '@preact/signals';
import { want } from '../api/chunk.ts';
import type { WindowLibrary } from './row-window.ts';

/** What windows are made with, once it is loaded. */
export const library = signal<WindowLibrary | undefined>(undefined);

let isAskedFor = false;

/** Loads it, unless that was begun; until it is there, lists stay in the page as a whole. */
export const loadLibrary = (): void => {
  if (isAskedFor) return;
  isAskedFor = true;
  void want(
    () => import('@tanstack/virtual-core'),
    (loaded) => {
      library.value = loaded;
    },
  );
};
