import { codePoints } from '@parlor/shared/lengths';
import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useId, useState } from 'preact/hooks';
import { count, words } from '../locale/locale.ts';
import styles from './field.module.css';

interface Props {
  label: string;
  name: string;
  hint?: string | undefined;
  /** What the server says of it. */
  error?: string | undefined;
  /** What stands behind the label, such as "optional". */
  note?: string;
  type?: 'text' | 'password' | 'email' | 'tel' | 'url' | 'date' | 'number';
  /** What browsers and password managers fill in (HTML, 4.10.18.7). */
  autocomplete?: string;
  /** Such as a username or a code: no language's words. */
  isVerbatim?: boolean;
  inputMode?: 'numeric' | 'decimal';
  autofocus?: boolean;
  /** The most characters (code points) that it may have. What is pasted is not cut, but told to be too long. */
  maxLength?: number;
  /** Stands there while it is empty, such as what is taken then. */
  placeholder?: string;
  /** Of a day or a number: the first and the last. */
  min?: string;
  max?: string;
  /** Several lines, this many at least. */
  rows?: number;
  defaultValue?: string;
  value?: string;
  onInput?(event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>): void;
  /** Stands below it, such as what somebody else has written meanwhile. */
  children?: ComponentChildren;
}

/** A line of text, or several, with its label, a hint, and what is wrong with it. */
export const Field = ({
  label,
  hint,
  error: refused,
  note,
  type = 'text',
  isVerbatim = false,
  maxLength = Number.POSITIVE_INFINITY,
  children,
  rows,
  onInput,
  ...rest
}: Props) => {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const [typed, setTyped] = useState(rest.defaultValue ?? '');
  const isTooLong = codePoints(rest.value ?? typed) > maxLength;
  const error = isTooLong ? words.value.errors.tooLong(count(maxLength)) : refused;
  const isPassword = type === 'password';
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  const shared = {
    id,
    ...(isVerbatim && { autocapitalize: 'off' as const, spellcheck: false }),
    'aria-invalid': error ? true : undefined,
    'aria-describedby': described || undefined,
    onInput: (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setTyped(event.currentTarget.value);
      onInput?.(event);
    },
  };
  return (
    <div class={styles.field}>
      <label for={id}>
        {label} {note && <span class={styles.note}>{note}</span>}
      </label>
      <div class={styles.line}>
        {rows ? (
          <textarea {...rest} {...shared} rows={rows} dir="auto" />
        ) : (
          <input {...rest} {...shared} type={(isPassword && isShown ? 'text' : type) as 'text'} />
        )}
        {isPassword && (
          <button
            type="button"
            class={styles.show}
            aria-pressed={isShown}
            aria-label={isShown ? words.value.signIn.hide : words.value.signIn.show}
            onClick={() => setShown(!isShown)}
          >
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <path d="M2 10s3-5.5 8-5.5S18 10 18 10s-3 5.5-8 5.5S2 10 2 10Z" />
              <circle cx="10" cy="10" r="2.5" />
              {isShown && <path d="m4 16 12-12" />}
            </svg>
          </button>
        )}
      </div>
      {error && (
        <p id={`${id}-error`} class={styles.error}>
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} class={styles.hint}>
          {hint}
        </p>
      )}
      {children}
    </div>
  );
};
