import { words } from '../locale/locale.ts';
import { Button } from './button.tsx';
import styles from './theirs.module.css';

/** What somebody else has written into a field that is being changed here, to be taken; nothing where nobody has. */
export const Theirs = ({ value, onTake }: { value: string | undefined; onTake(): void }) => {
  const t = words.value.edits;
  if (value === undefined) return null;
  return (
    <p class={styles.theirs}>
      <span dir="auto">{value === '' ? t.theirsEmpty : t.theirs(value)}</span>
      <Button onClick={onTake}>{t.take}</Button>
    </p>
  );
};
