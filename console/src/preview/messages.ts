import type { NewWidget } from '@parlor/shared';

/** What the studio tells the page in its preview. */
export interface Shown {
  type: 'show';
  settings: NewWidget;
  /** The visitor's language, one of those that the widget speaks. */
  locale: string;
  isRightToLeft: boolean;
  /** The page's colour scheme; empty: the system's. */
  scheme: '' | 'light' | 'dark';
  /** Whether the window is open. */
  isOpen: boolean;
  /** What is answered to whoever writes there. */
  answer: { nickname: string; body: string };
}

/** What the page in the preview tells the studio. */
export type Told =
  /** It waits to be told what to show. */
  | { type: 'ready' }
  /** The widget is there as it was to be shown. */
  | { type: 'shown' }
  /** Somebody has opened or closed the window. */
  | { type: 'open'; isOpen: boolean }
  /** The widget is not there, and why. */
  | { type: 'failed'; why: string }
  /** How often the page's policy has refused something. */
  | { type: 'reports'; count: number };
