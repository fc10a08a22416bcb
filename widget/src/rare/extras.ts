/** What is seldom wanted, and too small to be files of its own. */
export { explain } from './explain.ts';
export { chime } from './sound.ts';
export { css, Teaser } from './teaser.tsx';
