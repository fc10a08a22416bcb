import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import styles from './field.module.css';

interface Props {
  label: string;
  /** In a form. */
  name?: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChoose?(value: string): void;
  /** Stands below it. */
  children?: ComponentChildren;
}

/** One of several, with its label; a value that is none of them stands there as it is. */
export const Select = ({ label, name, value, options, onChoose, children }: Props) => {
  const id = useId();
  const isKnown = options.some(([known]) => known === value);
  return (
    <div class={styles.field}>
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        class={styles.select}
        {...(onChoose ? { value, onChange: ({ currentTarget }) => onChoose(currentTarget.value) } : {})}
      >
        {!isKnown && <option value={value}>{value}</option>}
        {options.map(([known, text]) => (
          <option key={known} value={known} selected={!onChoose && known === value}>
            {text}
          </option>
        ))}
      </select>
      {children}
    </div>
  );
};
