import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { Button } from './button.tsx';
import styles from './form.module.css';
import { Notice } from './notice.tsx';
import type { useForm } from './use-form.ts';

/** Fields, what the server says of all of them, and the button that sends them. */
export const Form = ({
  form: { onSubmit, isBusy, message },
  error,
  submit,
  kind = 'primary',
  done,
  onInput,
  children,
}: {
  form: ReturnType<typeof useForm>;
  /** What is wrong with something that shows no error itself. */
  error?: string | undefined;
  /** The words of the button. */
  submit: string;
  kind?: 'primary' | 'plain' | 'danger';
  /** What came of it, where the form stays. */
  done?: string | undefined;
  /** Called when something is typed or chosen in one of the fields. */
  onInput?(event: TargetedInputEvent<HTMLFormElement>): void;
  children: ComponentChildren;
}) => (
  <form class={styles.form} onSubmit={onSubmit} onInput={onInput} noValidate>
    {children}
    <Notice>{message || error}</Notice>
    <Button type="submit" kind={kind} isBusy={isBusy}>
      {submit}
    </Button>
    {done && <Notice kind="good">{done}</Notice>}
  </form>
);
