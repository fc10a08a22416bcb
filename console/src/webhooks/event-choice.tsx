import type { EventName } from '@parlor/shared';
import { useId } from 'preact/hooks';
import { webhookWords } from '../locale/webhooks.ts';
import styles from './event-choice.module.css';

/** One or several of the events, each with what it tells of. */
export const EventChoice = ({
  type,
  chosen,
  hint,
  error,
  onChange,
}: {
  type: 'checkbox' | 'radio';
  chosen: readonly EventName[];
  hint?: string;
  error?: string | undefined;
  onChange(event: EventName, isChosen: boolean): void;
}) => {
  const t = webhookWords.value;
  const id = useId();
  const names = Object.entries(t.names) as [EventName, string][];
  return (
    <fieldset class={styles.events} aria-describedby={error ? `${id}-error` : undefined}>
      <legend>{type === 'radio' ? t.event : t.events}</legend>
      {hint && <p class={styles.hint}>{hint}</p>}
      {names.map(([event, text]) => (
        <label key={event}>
          <input
            type={type}
            name={id}
            checked={chosen.includes(event)}
            onChange={({ currentTarget }) => onChange(event, currentTarget.checked)}
          />
          <span>
            {text}
            <code>{event}</code>
          </span>
        </label>
      ))}
      {error && (
        <p id={`${id}-error`} class={styles.error} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
};
