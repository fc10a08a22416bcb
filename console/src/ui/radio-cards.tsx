import { useId } from 'preact/hooks';
import styles from './radio-cards.module.css';

/** One of a few, each with what it means. */
export const RadioCards = <T extends string>({
  legend,
  options,
  value,
  onChoose,
}: {
  legend: string;
  options: readonly (readonly [value: T, label: string, hint: string])[];
  value: T;
  onChoose(value: T): void;
}) => {
  const id = useId();
  return (
    <fieldset class={styles.cards}>
      <legend>{legend}</legend>
      {options.map(([one, label, hint]) => (
        <label key={one}>
          <input
            type="radio"
            name={id}
            checked={one === value}
            aria-labelledby={`${id}-${one}`}
            aria-describedby={`${id}-${one}-hint`}
            onChange={() => onChoose(one)}
          />
          <span>
            <span id={`${id}-${one}`}>{label}</span>
            <small id={`${id}-${one}-hint`}>{hint}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
};
