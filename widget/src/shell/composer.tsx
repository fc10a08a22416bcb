import { MESSAGE_TOLD_FROM, messageLength } from '@parlor/shared/lengths';
import { MAX_MESSAGE } from '@parlor/shared/limits';
import { useRef } from 'preact/hooks';
import { Icon, PATHS } from '../view/icons.tsx';
import type { Ui } from '../view/ui.ts';

/** The text field: Enter sends, Shift and Enter makes a new line, what is begun stays over reloads. */
export function Composer({ ui }: { ui: Ui }) {
  const { conversation } = ui;
  const t = ui.texts.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = ui.draft.value;
  const length = messageLength(draft);
  const isTooLong = length > MAX_MESSAGE;
  const label = ui.host.widget.message_placeholder;

  const write = (text: string) => {
    ui.draft.value = text;
    conversation.store.set('draft', text);
    // Who begins to write will send it: what does that comes meanwhile.
    if (text) ui.modules.need('messages');
    conversation.onTyping?.(!!text);
  };
  const send = (event: Event) => {
    event.preventDefault();
    if (!isTooLong) conversation.send(draft);
    write(isTooLong ? draft : '');
    field.current?.focus();
  };

  return (
    <>
      {length >= MESSAGE_TOLD_FROM && (
        <p class="length">
          {isTooLong && <span role="alert">{t.tooLong}</span>}{' '}
          <bdi dir="ltr">
            {length} / {MAX_MESSAGE}
          </bdi>
        </p>
      )}
      <form class="composer">
        <textarea
          ref={field}
          class="text"
          rows={1}
          aria-label={label}
          placeholder={label}
          aria-invalid={isTooLong || undefined}
          enterkeyhint="send"
          dir={draft ? 'auto' : undefined}
          value={draft}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => {
            // While an input method composes, Enter belongs to it; to Safari composing has ended by then, and only
            // the key's code (229) says so.
            const composes = event.isComposing || event.keyCode === 229;
            if (event.key === 'Enter' && !event.shiftKey && !composes) send(event);
          }}
        />
        <button type="submit" class="send" aria-label={t.send} disabled={!draft.trim()} onClick={send}>
          <Icon path={PATHS.send} />
        </button>
      </form>
    </>
  );
}
