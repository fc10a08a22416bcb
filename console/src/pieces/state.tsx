import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import styles from './pieces.module.css';
import type { Pretended } from './pretend.ts';

/** A component with its states. */
export const Piece = ({
  name,
  about,
  children,
}: {
  /** As it is exported. */
  name: string;
  /** When it is used. */
  about: string;
  children: ComponentChildren;
}) => (
  <section class={styles.piece} id={name} data-piece={name} aria-labelledby={`${name}-title`}>
    <header>
      <h2 id={`${name}-title`}>{name}</h2>
      <p>{about}</p>
    </header>
    <div class={styles.states}>{children}</div>
  </section>
);

/** One state of a component. */
export const State = ({
  label,
  size = 'normal',
  pretended,
  of = 'button, a, input, textarea, select, summary',
  isPressed = false,
  children,
}: {
  label: string;
  /** How much room it has: narrow is what a phone or a side bar leaves, wide a row of its own. */
  size?: 'narrow' | 'normal' | 'wide';
  /** What the pointer or the keyboard would do to it. */
  pretended?: Pretended;
  /** A selector of what they would do it to. */
  of?: string;
  /** Whether its button is pressed, and what opens below it open. */
  isPressed?: boolean;
  children: ComponentChildren;
}) => {
  const room = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (pretended) room.current?.querySelector(of)?.setAttribute('data-pretended', pretended);
    if (isPressed) room.current?.querySelector('button')?.click();
  }, []);
  return (
    <div class={`${styles.state} ${styles[size] ?? ''}`}>
      <p class={styles.label}>{label}</p>
      <div ref={room} class={`${styles.room} ${isPressed ? styles.open : ''}`}>
        {children}
      </div>
    </div>
  );
};
