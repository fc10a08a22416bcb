import type { Member } from '@parlor/shared';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { pictureWords } from '../locale/picture.ts';
import { me } from '../session/session.ts';
import { Section } from '../shell/page.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useForm } from '../ui/use-form.ts';
import styles from './own-picture.module.css';
import { fileOf, toSquare } from './square.ts';

const SHOWN = 96;

/** The first picture among what was pasted or dropped. */
const pictureIn = (files: FileList | undefined): File | undefined =>
  [...(files ?? [])].find(({ type }) => type.startsWith('image/'));

/** What was chosen, as it will look. */
const Preview = ({ canvas, label }: { canvas: HTMLCanvasElement; label: string }) => {
  const shown = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    shown.current?.getContext('2d')?.drawImage(canvas, 0, 0);
  }, [canvas]);
  const { width, height } = canvas;
  return (
    <canvas class={styles.preview} ref={shown} width={width} height={height} role="img" aria-label={label} />
  );
};

/** A member's own picture: chosen, pasted or dropped, looked at, and then saved. */
export const OwnPicture = () => {
  const t = pictureWords.value;
  const member = me.value as Member;
  const input = useRef<HTMLInputElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<HTMLCanvasElement>();
  const [isOver, setOver] = useState(false);
  const [said, setSaid] = useState<'saved' | 'removed' | 'unreadable'>();

  const take = async (file: File | undefined) => {
    if (!file) return;
    const square = await toSquare(file);
    setChosen(square);
    setSaid(square ? undefined : 'unreadable');
  };
  const drop = () => {
    setChosen(undefined);
    setSaid(undefined);
    // The button that was pressed is gone by then.
    requestAnimationFrame(() => place.current?.querySelector('button')?.focus());
  };
  const form = useForm(async () => {
    if (!chosen) return;
    me.value = await ask<Member>('PUT', 'members/me/avatar/', await fileOf(chosen));
    drop();
    setSaid('saved');
  });
  const removal = useForm(async () => {
    await ask('DELETE', 'members/me/avatar/');
    me.value = { ...member, avatar: null };
    drop();
    setSaid('removed');
  });

  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const file = pictureIn(event.clipboardData?.files);
      if (!file) return;
      event.preventDefault();
      void take(file);
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, []);

  return (
    <Section title={t.title} hint={t.hint}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what is dropped here can be chosen by the button, too */}
      <div
        ref={place}
        class={`${styles.place} ${isOver ? styles.over : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          const file = pictureIn(event.dataTransfer?.files);
          if (file) void take(file);
          else setSaid('unreadable');
        }}
      >
        {chosen ? (
          <Preview canvas={chosen} label={t.preview} />
        ) : (
          <Avatar uuid={member.uuid} name={member.name} picture={member.avatar} size={SHOWN} />
        )}
        <div class={styles.acts}>
          <input
            ref={input}
            type="file"
            hidden
            accept="image/*"
            aria-label={t.choose}
            onChange={({ currentTarget }) => {
              void take(currentTarget.files?.[0]);
              // The same file again is a choice, too.
              currentTarget.value = '';
            }}
          />
          {chosen && (
            <form onSubmit={form.onSubmit}>
              <Button type="submit" kind="primary" isBusy={form.isBusy}>
                {t.save}
              </Button>
            </form>
          )}
          <Button onClick={() => input.current?.click()}>
            {chosen || member.avatar ? t.other : t.choose}
          </Button>
          {chosen && (
            <Button kind="quiet" onClick={drop}>
              {words.value.common.cancel}
            </Button>
          )}
          {!chosen && member.avatar && (
            <form onSubmit={removal.onSubmit}>
              <Button type="submit" kind="danger" isBusy={removal.isBusy}>
                {t.remove}
              </Button>
            </form>
          )}
          <p class={styles.hint}>{t.ways}</p>
        </div>
      </div>
      <Notice>{said === 'unreadable' ? t.unreadable : undefined}</Notice>
      <Notice>{form.fields.avatar || form.message || removal.message}</Notice>
      <Notice kind="good">{said === 'saved' ? t.saved : said === 'removed' ? t.removed : undefined}</Notice>
    </Section>
  );
};
