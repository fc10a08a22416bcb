import type { ButtonHTMLAttributes } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import styles from './icon-button.module.css';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What it does, heard and shown when the pointer rests on it. */
  label: string;
  icon: IconName;
}

/** A button with an icon alone. */
export const IconButton = ({ label, icon, type = 'button', ...rest }: Props) => (
  <button {...rest} type={type} class={styles.button} aria-label={label} title={label}>
    <Icon name={icon} />
  </button>
);

/** A link that looks like one. */
export const IconLink = ({ label, icon, href }: { label: string; icon: IconName; href: string }) => (
  <a class={styles.button} href={href} aria-label={label} title={label}>
    <Icon name={icon} />
  </a>
);
