import type { TargetedEvent } from 'preact';
import { useId } from 'preact/hooks';
import styles from './toggle.module.css';

interface Props {
  label: string;
  hint?: string;
  name?: string;
  checked?: boolean;
  defaultChecked?: boolean;
  disabled?: boolean;
  onChange?: (event: TargetedEvent<HTMLInputElement>) => void;
}

/** Something that is on or off. */
export const Toggle = ({ label, hint, ...rest }: Props) => {
  const id = useId();
  return (
    <div class={styles.toggle}>
      {/* biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says itself whether it is on */}
      <input {...rest} id={id} type="checkbox" role="switch" aria-describedby={hint && `${id}-hint`} />
      <label for={id}>{label}</label>
      {hint && <p id={`${id}-hint`}>{hint}</p>}
    </div>
  );
};
