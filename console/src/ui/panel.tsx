import type { ComponentChildren } from 'preact';
import styles from './panel.module.css';

/** A part of a page, in a frame. */
export const Panel = ({ children }: { children: ComponentChildren }) => (
  <section class={styles.panel}>{children}</section>
);
