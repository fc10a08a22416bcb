import type { Loads } from '../view/lazy-modules.ts';
import type { Modules } from '../view/ui.ts';

/** The files that come only when they are needed. */
export const LOADS = {
  messages: () => import('../messages/index.tsx'),
  form: () => import('../form/form.tsx'),
  menu: () => import('../menu/menu.tsx'),
  extras: () => import('./extras.ts'),
} satisfies Loads<Modules>;
