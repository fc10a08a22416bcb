import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import styles from './avatar.module.css';

/** The first letters of a name's first and last words. */
const initialsOf = (name: string): string => {
  const parts = name.trim().split(/[\s@._-]+/);
  const picked = parts.length > 1 ? [parts[0], parts.at(-1)] : [parts[0]];
  const initials = picked.map((part = '') => [...part][0] ?? '').join('');
  // What is in capitals needs no rules of a language, which a browser has to load.
  return initials === initials.toUpperCase() ? initials : initials.toLocaleUpperCase();
};

/** A hue that stays the same for the same person. */
const hueOf = (uuid: string): number => Number.parseInt(uuid.slice(-6), 16) % 360;

/** Its path on this server, by whatever name that was opened. */
const pathOf = (address: string): string => new URL(address, location.href).pathname;

/**
 * A member's picture, where there is one that loads: the address of one that was changed or removed leads nowhere. Whose it is
 * is said beside it.
 */
export const Picture = ({
  address,
  size = 16,
  children = null,
}: {
  address: string | null | undefined;
  size?: number;
  /** Stands there where there is none. */
  children?: ComponentChildren;
}) => {
  const [missing, setMissing] = useState('');
  if (!address || missing === address) return children;
  return (
    <img
      class={styles.picture}
      src={pathOf(address)}
      width={size}
      height={size}
      alt=""
      onError={() => setMissing(address)}
    />
  );
};

/** Stands for a person, by its picture or its initials; its name is said beside it. */
export const Avatar = ({
  uuid,
  name,
  picture,
  size = 32,
}: {
  uuid: string;
  name: string;
  /** The address of its picture. */
  picture?: string | null;
  size?: number;
}) => (
  <Picture address={picture} size={size}>
    <svg class={styles.avatar} width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="16" fill={`hsl(${hueOf(uuid)} 45% 42%)`} />
      <text x="16" y="16" dy="0.36em" text-anchor="middle">
        {initialsOf(name)}
      </text>
    </svg>
  </Picture>
);
