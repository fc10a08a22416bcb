import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import styles from './button.module.css';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  /** What it was pressed for is under way. */
  isBusy?: boolean;
  children: ComponentChildren;
}

/** A button; while it is busy it keeps its size, its words and the focus. */
export const Button = ({ kind = 'plain', isBusy = false, type = 'button', children, ...rest }: Props) => (
  <button
    {...rest}
    type={type}
    class={`${styles.button} ${styles[kind]} ${isBusy ? styles.busy : ''}`}
    aria-disabled={isBusy || undefined}
  >
    <span>{children}</span>
  </button>
);

/** A link out of the console that looks like a button. */
export const ButtonLink = ({
  href,
  download = false,
  children,
}: {
  href: string;
  /** What it leads to is saved, and not shown. */
  download?: boolean;
  children: ComponentChildren;
}) => (
  <a class={`${styles.button} ${styles.plain} ${styles.link}`} href={href} download={download}>
    <span>{children}</span>
  </a>
);
