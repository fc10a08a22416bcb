import { effect, untracked } from '@preact/signals';
import { createHistory } from '../conversation/history.ts';
import type { Thread, Ui } from '../view/ui.ts';
import { MessageList } from './message-list.tsx';
import css from './messages.css?inline';
import { titleMark } from './title.ts';

export { texts } from '../locale/en/messages.ts';
export { css };

/** Begins to follow the conversation. */
export function createThread(ui: Ui): Thread {
  const { launcher } = ui.host;
  const heard = (body: string) => {
    const open = ui.open.peek();
    if (open && document.visibilityState === 'visible') return;
    // Another tab may have been the first to show it.
    if (!history.unread.peek()) return;
    if (!open) ui.teaser.value = body;
    ui.modules.need('extras').then((extras) => ui.conversation.store.get('quiet') || extras?.chime());
  };
  const history = createHistory(ui.conversation, () => ui.tag.peek(), heard);

  /** Read is what is looked at. */
  const read = () => {
    if (ui.open.peek() && document.visibilityState === 'visible') history.read();
  };

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
    // Read here or in another tab, it need not be shown beside the launcher any more.
    if (!count) ui.teaser.value = '';
    // What the page does then is not what this depends on.
    untracked(() => ui.host.emit('unread', count));
    if (open && count) setTimeout(read);
  });

  return {
    ...history,
    MessageList,
    read,
    wake() {
      history.wake();
      read();
    },
    stop() {
      undo();
      mark(0);
      delete launcher.dataset.unread;
      history.stop();
    },
  };
}
