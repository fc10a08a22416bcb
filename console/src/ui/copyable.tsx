import { useId, useState } from 'preact/hooks';
import { words } from '../locale/locale.ts';
import { Button } from './button.tsx';
import styles from './copyable.module.css';

/** Text to take along, with a button that copies it. */
export const Copyable = ({
  label,
  text,
  isCode = false,
}: {
  label: string;
  text: string;
  /** Lines of a program, as wide as there is room. */
  isCode?: boolean;
}) => {
  const id = useId();
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      // Without the right to the clipboard it is marked, to be copied by hand.
      () => getSelection()?.selectAllChildren(document.getElementById(id) as HTMLElement),
    );
  return (
    <div class={`${styles.copyable} ${isCode ? styles.code : ''}`}>
      <p class={styles.label}>{label}</p>
      <pre id={id} dir="ltr">
        {text}
      </pre>
      <Button onClick={copy}>{isCopied ? words.value.common.copied : words.value.common.copy}</Button>
      <span class="hidden" role="status">
        {isCopied && words.value.common.copied}
      </span>
    </div>
  );
};
