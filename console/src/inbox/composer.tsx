import type { Conversation } from '@parlor/shared';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { tell } from '../api/live.ts';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import styles from './composer.module.css';
import { visitorName } from './conversation-list.tsx';
import { draftOf, saveDraft } from './drafts.ts';
import type { Thread } from './thread.ts';

/** The visitor learns that somebody writes at most this often (docs/realtime.md). */
const TYPING_EVERY_MS = 3_000;

const isMac = /Mac|iP(hone|ad|od)/.test(navigator.userAgent);

/** Where an answer is written: Enter begins a new line, and with ⌘ or Ctrl it sends. */
export const Composer = ({ thread, conversation }: { thread: Thread; conversation: Conversation }) => {
  const t = words.value.inbox;
  const { uuid } = conversation;
  const field = useRef<HTMLTextAreaElement>(null);
  const toldAt = useRef(0);

  const resize = () => {
    const { current } = field;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  };

  useEffect(() => {
    if (!field.current) return;
    field.current.value = draftOf(uuid);
    resize();
  }, [uuid]);

  const onInput = () => {
    const text = field.current?.value ?? '';
    saveDraft(uuid, text);
    resize();
    if (text === '' || performance.now() - toldAt.current < TYPING_EVERY_MS) return;
    toldAt.current = performance.now();
    tell({ type: 'typing', room: uuid, is_typing: true });
  };

  const send = () => {
    const body = field.current?.value.trim() ?? '';
    if (body === '' || !field.current) return;
    field.current.value = '';
    saveDraft(uuid, '');
    resize();
    toldAt.current = 0;
    tell({ type: 'typing', room: uuid, is_typing: false });
    void thread.send(body);
    field.current.focus();
  };

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && !event.isComposing) {
      event.preventDefault();
      send();
    }
    if (event.key === 'Escape') event.currentTarget.blur();
  };

  return (
    <form
      class={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {conversation.is_bot_use && <p class={styles.hint}>{t.botAnswers}</p>}
      <textarea
        ref={field}
        id="answer"
        rows={2}
        maxLength={10_000}
        aria-label={t.reply}
        placeholder={t.replyTo(visitorName(conversation))}
        dir="auto"
        onInput={onInput}
        onKeyDown={onKeyDown}
      />
      <div class={styles.foot}>
        <Button kind="primary" type="submit" title={t.sendKey(isMac ? '⌘ ↵' : 'Ctrl ↵')}>
          {t.send}
        </Button>
      </div>
    </form>
  );
};
