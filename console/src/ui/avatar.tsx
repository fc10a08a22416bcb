import styles from './avatar.module.css';

/** The first letters of a name's first and last words. */
const initialsOf = (name: string): string => {
  const parts = name.trim().split(/[\s@._-]+/);
  const picked = parts.length > 1 ? [parts[0], parts.at(-1)] : [parts[0]];
  return picked
    .map((part = '') => [...part][0] ?? '')
    .join('')
    .toLocaleUpperCase();
};

/** A hue that stays the same for the same person. */
const hueOf = (uuid: string): number => Number.parseInt(uuid.slice(-6), 16) % 360;

/** Stands for a person; its name is said beside it. */
export const Avatar = ({ uuid, name, size = 32 }: { uuid: string; name: string; size?: number }) => (
  <svg class={styles.avatar} width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <circle cx="16" cy="16" r="16" fill={`hsl(${hueOf(uuid)} 45% 42%)`} />
    <text x="16" y="16" dy="0.36em" text-anchor="middle">
      {initialsOf(name)}
    </text>
  </svg>
);
