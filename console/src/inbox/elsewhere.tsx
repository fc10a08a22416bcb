import { words } from '../locale/locale.ts';
import styles from './composer.module.css';
import { settleDraft } from './drafts.ts';
import { elsewhere } from './unkept.ts';

/** What whoever writes here has written on another device meanwhile: neither is put over the other. */
export const Elsewhere = ({
  room,
  field,
}: {
  room: string;
  field: { readonly current: HTMLTextAreaElement | null };
}) => {
  const t = words.value.inbox;
  const other = elsewhere.value.get(room);
  const settle = (isToStay: boolean) => {
    settleDraft(room, isToStay);
    field.current?.focus();
  };
  return (
    <div class={other && styles.elsewhere}>
      <p role="status">
        {other && (
          <>
            {t.writtenElsewhere} <q dir="auto">{other.body}</q>
          </>
        )}
      </p>
      {other && (
        <>
          <button type="button" onClick={() => settle(true)}>
            {t.addBelow}
          </button>
          <button type="button" onClick={() => settle(false)}>
            {t.discard}
          </button>
        </>
      )}
    </div>
  );
};
