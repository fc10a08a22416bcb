import type { ComponentChildren } from 'preact';
import styles from './card.module.css';

/** What the ways in stand on: one card in the middle of an empty page. */
export const Card = ({
  title,
  hint,
  children,
}: {
  title: string;
  hint?: string;
  children: ComponentChildren;
}) => (
  <main class={styles.page}>
    <div class={styles.card}>
      <svg class={styles.mark} viewBox="0 0 24 24" aria-hidden="true">
        <rect width="24" height="24" rx="6" />
        <path d="M18 12a6 6 0 0 1-8.8 5.3l-3.2.7.7-3.2A6 6 0 1 1 18 12Z" />
      </svg>
      <header>
        <h1>{title}</h1>
        {hint && <p>{hint}</p>}
      </header>
      {children}
    </div>
  </main>
);
