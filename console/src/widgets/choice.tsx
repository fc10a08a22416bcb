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
  options: readonly (readonly [value: T, label: string])[];
  hint?: string;
  isLabelHidden?: boolean;
  onChange(value: T): void;
}) => {
  const id = useId();
  return (
    <fieldset class={styles.choice} aria-describedby={hint ? `${id}-hint` : undefined}>
      <legend class={isLabelHidden ? 'hidden' : styles.label}>{label}</legend>
      <div class={styles.options}>
        {options.map(([one, text]) => (
          <label key={one}>
            <input
              type="radio"
              name={`${name}-${id}`}
              value={one}
              checked={one === value}
              onChange={() => onChange(one)}
            />
            <span>{text}</span>
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
