import { useEffect, useId, useRef, useState } from 'preact/hooks';
import styles from './search-field.module.css';

/** How long after the last key it is looked for (milliseconds). */
const PAUSE_MS = 250;

/** A line to look for words, which are told when there is a pause; its label is what stands in it. */
export const SearchField = ({
  label,
  value,
  maxLength,
  isBegin,
  onSearch,
}: {
  label: string;
  value: string;
  maxLength: number;
  /** Whether the page begins here. */
  isBegin?: boolean;
  onSearch(text: string): void;
}) => {
  const id = useId();
  const [text, setText] = useState(value);
  const timer = useRef<number>(undefined);
  // What the address says meanwhile, such as by going back, takes the place of what stands here.
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class={styles.search}>
      <label class="hidden" for={id}>
        {label}
      </label>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d="M9 14A5 5 0 1 0 9 4a5 5 0 0 0 0 10Zm3.6-1.4L16.5 16.5" />
      </svg>
      <input
        id={id}
        type="search"
        placeholder={label}
        maxLength={maxLength}
        data-begin={isBegin}
        value={text}
        onInput={({ currentTarget: { value: typed } }) => {
          setText(typed);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => onSearch(typed.trim()), PAUSE_MS);
        }}
      />
    </div>
  );
};
