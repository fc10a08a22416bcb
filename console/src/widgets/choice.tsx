import { useId } from 'preact/hooks';
import styles from './choice.module.css';

/** One of a few, side by side; the arrow keys move between them. */
export const Choice = <T extends string>({
  label,
  name,
  value,
  options,
  hint,
  isLabelHidden = false,
  onChange,
}: {
  label: string;
  name: string;
  value: T;
  /** A picture (a path on a square of 20) stands in for its label. */
  options: readonly (readonly [value: T, label: string, picture?: string])[];
  hint?: string;
  isLabelHidden?: boolean;
  onChange(value: T): void;
}) => {
  const id = useId();
  return (
    <fieldset class={styles.choice} aria-describedby={hint ? `${id}-hint` : undefined}>
      <legend class={isLabelHidden ? 'hidden' : styles.label}>{label}</legend>
      <div class={styles.options}>
        {options.map(([one, text, picture]) => (
          <label key={one} title={picture && text}>
            <input
              type="radio"
              name={`${name}-${id}`}
              value={one}
              aria-label={picture && text}
              checked={one === value}
              onChange={() => onChange(one)}
            />
            {picture ? (
              <svg viewBox="0 0 20 20" aria-hidden="true">
                <path d={picture} />
              </svg>
            ) : (
              <span>{text}</span>
            )}
          </label>
        ))}
      </div>
      {hint && (
        <p id={`${id}-hint`} class={styles.hint}>
          {hint}
        </p>
      )}
    </fieldset>
  );
};
