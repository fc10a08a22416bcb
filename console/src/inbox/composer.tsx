import type { Conversation, Reply } from '@parlor/shared';
import { MESSAGE_TOLD_FROM, messageLength } from '@parlor/shared/lengths';
import { MAX_MESSAGE, TYPING_AGAIN_AFTER_MS } from '@parlor/shared/limits';
import type { Signal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { tell } from '../api/live.ts';
import { count, words } from '../locale/locale.ts';
import { filled } from '../replies/replies.ts';
import { ReplyList } from '../replies/reply-list.tsx';
import { useReplyPicker } from '../replies/use-reply-picker.ts';
import { Picture } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { isComposing } from '../ui/keys.ts';
import { isMac } from '../ui/platform.ts';
import styles from './composer.module.css';
import { visitorName } from './conversation-list.tsx';
import { keepDraft, openDraft } from './drafts.ts';
import { Elsewhere } from './elsewhere.tsx';
import { send as sendOut } from './outbox.ts';
import { ReplyEffect } from './reply-effect.tsx';
import type { Thread } from './thread.ts';
import { viewersOf, writeInRoom } from './viewers.ts';

/** Who else looks at it, and above all who writes: nobody is to be answered twice. */
const Colleagues = ({ room }: { room: string }) => {
  const t = words.value.inbox;
  const there = viewersOf(room);
  const writing = there.filter(({ isTyping }) => isTyping);
  const told = writing.length > 0 ? writing : there;
  const named = told.map(({ member }) => member.name).join(', ');
  return (
    <p class={writing.length > 0 ? styles.warning : styles.hint} role="status">
      {told.length > 0 && (
        <>
          {told.map(({ member }) => (
            <Picture key={member.uuid} address={member.avatar} />
          ))}{' '}
          {writing.length > 0 ? t.writes(named) : t.looks(named)}
        </>
      )}
    </p>
  );
};

/** Where an answer or a note is written: Enter begins a new line, and with ⌘ or Ctrl it sends. */
export const Composer = ({
  thread,
  conversation,
  isNote,
  begun,
}: {
  thread: Thread;
  conversation: Conversation;
  isNote: Signal<boolean>;
  /** Gets what stands in the field: it may go with the conversation while somebody writes. */
  begun: { current: string };
}) => {
  const t = words.value.inbox;
  const { uuid } = conversation;
  const field = useRef<HTMLTextAreaElement>(null);
  const toldAt = useRef(0);
  // How long it is, once that is to be told.
  const [length, setLength] = useState(0);
  const [refusals, setRefusals] = useState(0);
  const isTooLong = length > MAX_MESSAGE;
  // What of a chosen reply is done with the answer.
  const [effect, setEffect] = useState<Reply>();
  const picker = useReplyPicker(field, (reply) => {
    field.current?.setRangeText(
      filled(reply, conversation),
      field.current.selectionStart,
      field.current.selectionEnd,
      'end',
    );
    setEffect(reply);
    onInput();
  });
  const isOffering = !isNote.value && picker.offered.length > 0;

  const measure = () => {
    const { current } = field;
    if (!current) return;
    begun.current = current.value;
    const now = messageLength(current.value);
    setLength(now < MESSAGE_TOLD_FROM ? 0 : now);
    current.style.height = 'auto';
    current.style.height = `${current.scrollHeight}px`;
  };

  useEffect(() => {
    const close = openDraft(uuid, ({ body, is_note }) => {
      if (!field.current) return;
      field.current.value = body;
      if (body === '') {
        // It was sent elsewhere.
        setEffect(undefined);
        writeInRoom(uuid, false);
      } else isNote.value = is_note;
      measure();
    });
    return () => {
      close();
      writeInRoom(uuid, false);
    };
  }, [uuid]);

  const onInput = () => {
    const body = field.current?.value ?? '';
    if (body === '') setEffect(undefined);
    if (!isNote.value) picker.look();
    keepDraft(uuid, { body, is_note: isNote.value });
    measure();
    writeInRoom(uuid, body !== '' && !isNote.value);
    if (body === '' || isNote.value || performance.now() - toldAt.current < TYPING_AGAIN_AFTER_MS) return;
    toldAt.current = performance.now();
    tell({ type: 'typing', room: uuid, is_typing: true });
  };

  const choose = (wantsNote: boolean) => {
    isNote.value = wantsNote;
    field.current?.focus();
    if (field.current?.value) keepDraft(uuid, { body: field.current.value, is_note: wantsNote });
  };

  const send = () => {
    const body = field.current?.value.trim() ?? '';
    if (body === '' || !field.current) return;
    if (isTooLong) {
      setRefusals(refusals + 1);
      field.current.focus();
      return;
    }
    const reply = isNote.value ? undefined : effect;
    // It is kept there before the field and the draft are emptied.
    void sendOut({ room: uuid, name: visitorName(conversation), body, isNote: isNote.value, reply });
    void thread.stretch.showNewest();
    field.current.value = '';
    keepDraft(uuid, { body: '', is_note: false });
    measure();
    toldAt.current = 0;
    writeInRoom(uuid, false);
    if (!isNote.value) tell({ type: 'typing', room: uuid, is_typing: false });
    setEffect(undefined);
    field.current.focus();
  };

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event) || (isOffering && picker.onKeyDown(event))) return;
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      send();
    }
    if (event.key === 'Escape') event.currentTarget.blur();
  };

  return (
    <form
      class={`${styles.composer} ${isNote.value ? styles.note : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {isOffering && (
        <ReplyList id={picker.id} offered={picker.offered} at={picker.at} onChoose={picker.choose} />
      )}
      <Colleagues room={uuid} />
      <Elsewhere room={uuid} field={field} />
      {conversation.is_bot_use && !isNote.value && <p class={styles.hint}>{t.botAnswers}</p>}
      <textarea
        ref={field}
        id="answer"
        rows={2}
        aria-label={isNote.value ? t.note : t.reply}
        placeholder={isNote.value ? t.notePlaceholder : t.replyTo(visitorName(conversation))}
        dir="auto"
        aria-invalid={isTooLong || undefined}
        aria-describedby={length > 0 ? 'answer-length' : undefined}
        aria-autocomplete={isNote.value ? undefined : 'list'}
        aria-controls={isOffering ? picker.id : undefined}
        aria-activedescendant={isOffering ? `${picker.id}-${picker.at}` : undefined}
        onInput={onInput}
        onKeyDown={onKeyDown}
        onSelect={() => !isNote.value && picker.look()}
      />
      {length > 0 && (
        <p id="answer-length" class={isTooLong ? styles.tooLong : styles.hint}>
          {t.lengthOf(count(length), count(MAX_MESSAGE))}{' '}
          {isTooLong && (
            // Said once more at each try.
            <span key={refusals} role="alert">
              {t.tooLong}
            </span>
          )}
        </p>
      )}
      {effect && !isNote.value && (
        <ReplyEffect one={conversation} reply={effect} onDrop={() => setEffect(undefined)} />
      )}
      <div class={styles.foot}>
        <div class={styles.switch}>
          <button type="button" aria-pressed={!isNote.value} onClick={() => choose(false)}>
            {t.reply}
          </button>
          <button type="button" aria-pressed={isNote.value} onClick={() => choose(true)}>
            {t.note}
          </button>
        </div>
        {!isNote.value && (
          <button
            type="button"
            class={styles.tool}
            aria-label={words.value.replies.title}
            title={`${words.value.replies.title} (/)`}
            onClick={picker.begin}
          >
            <Icon name="reply" />
          </button>
        )}
        <Button kind="primary" type="submit" title={t.sendKey(isMac ? '⌘ ↵' : 'Ctrl ↵')}>
          {isNote.value ? t.addNote : t.send}
        </Button>
      </div>
    </form>
  );
};
