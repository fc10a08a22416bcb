/** What is seldom wanted, and too small to be files of its own. */

export { chime } from '../teaser/sound.ts';
export { css, Teaser } from '../teaser/teaser.tsx';
export { explain } from './explain.ts';
