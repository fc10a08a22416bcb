import { useId, useState } from 'preact/hooks';
import { words } from '../locale/locale.ts';
import { Button } from './button.tsx';
import styles from './copyable.module.css';

/** Text to take along, with a button that copies it. */
export const Copyable = ({
  label,
  text,
  shown = text,
  isCode = false,
}: {
  label: string;
  text: string;
  /** As it is read more easily than what is copied. */
  shown?: string;
  /** Lines of a program, as wide as there is room. */
  isCode?: boolean;
}) => {
  const id = useId();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // Without the right to the clipboard, or over plain HTTP without any, it is marked, to be copied by hand.
      getSelection()?.selectAllChildren(document.getElementById(id) as HTMLElement);
    }
  };
  return (
    <div class={`${styles.copyable} ${isCode ? styles.code : ''}`}>
      <p class={styles.label}>{label}</p>
      <pre id={id} dir="ltr">
        {shown}
      </pre>
      <Button onClick={copy}>{isCopied ? words.value.common.copied : words.value.common.copy}</Button>
      <span class="hidden" role="status">
        {isCopied && words.value.common.copied}
      </span>
    </div>
  );
};
