import { effect } from '@preact/signals';
import type { Ui } from '../chat/ui.ts';
import { createHistory, type History } from './history.ts';
import { Log } from './log.tsx';
import css from './talk.css?inline';
import { titleMark } from './title.ts';

export { texts } from '../locale/en/talk.ts';
export { css };

/** A running conversation: what was said, how it is shown, and what a closed window shows of it. */
export interface Talk extends History {
  Log: typeof Log;
}

/** Begins to follow the conversation. */
export function createTalk(ui: Ui): Talk {
  const { launcher } = ui.host;
  const heard = (body: string) => {
    const open = ui.open.peek();
    if (open && document.visibilityState === 'visible') return;
    if (!open) {
      ui.parts.need('teaser');
      ui.teaser.value = body;
    }
    if (!ui.core.store.get('quiet')) ui.parts.need('sound').then((sound) => sound?.chime());
  };
  const history = createHistory(ui.core, () => ui.tag.peek(), heard);

  const mark = titleMark();
  const undo = effect(() => {
    const count = history.unread.value;
    const open = ui.open.value;
    const t = ui.texts.value;
    // Drawn by the style sheet: what is read out is the name alone.
    if (count) launcher.dataset.unread = count > 9 ? '9+' : `${count}`;
    else delete launcher.dataset.unread;
    const caption = ui.caption();
    launcher.ariaLabel = count ? `${caption} (${t.unread}: ${count})` : caption;
    mark(open ? 0 : count);
    ui.host.emit('unread', count);
    // Read as soon as it is looked at.
    if (open && count && document.visibilityState === 'visible') setTimeout(history.read);
  });

  return {
    ...history,
    Log,
    wake() {
      history.wake();
      if (ui.open.peek()) history.read();
    },
    stop() {
      undo();
      mark(0);
      delete launcher.dataset.unread;
      history.stop();
    },
  };
}
