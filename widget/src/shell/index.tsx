import { render } from 'preact';
import type { Chat, ChatModule, Host } from '../contract/host.ts';
import { createConversation } from '../conversation/conversation.ts';
import { openStore } from '../platform/storage.ts';
import { warn } from '../platform/warn.ts';
import { createUi, type Ui } from '../view/ui.ts';
import { prepareFrame } from './frame.ts';
import { createLanguage } from './language.ts';
import { followLauncher } from './launcher.ts';
import { LOADS } from './modules.ts';
import { followThread } from './thread.ts';
import { ChatWindow, isSmall } from './window.tsx';

function Teaser({ ui }: { ui: Ui }) {
  const extras = ui.modules.extras.value;
  return extras && ui.teaser.value && !ui.open.value ? <extras.Teaser ui={ui} /> : null;
}

export const explain: ChatModule['explain'] = async (...what) => (await LOADS.extras()).explain(...what);

/** A call of the page that takes something like the sample; it is told when it gives anything else. */
const given =
  <T,>(name: string, sample: T, call: (argument: T) => unknown) =>
  (argument: T): void => {
    if (typeof (argument ?? 0) === typeof sample) call(argument);
    else warn(`${name} needs: ${typeof sample}`);
  };

/** Builds the chat into the loader's shadow root. */
export function createChat(host: Host): Chat {
  const { widget, root, emit } = host;
  const prefix = `parlor.${host.token}.`;
  const store = openStore(prefix, () => localStorage);
  /** What the next page of this tab is to know. Without storage each page begins anew; nothing breaks. */
  const session = openStore(prefix, () => sessionStorage);
  const life = new AbortController();
  const { signal } = life;
  const element = root.host as HTMLElement;
  const conversation = createConversation(host, store, prefix);
  const ui = createUi(host, conversation, LOADS, toggle);

  /** @param back whether it was open on the page before: then the focus stays with the page */
  function toggle(open: boolean, back = false): void {
    if (open) {
      session.set('open', 1);
      // Opened is seen: what stands in the window counts as read.
      element.hidden = false;
    } else session.remove('open');
    if (open === ui.open.peek()) return;
    ui.takesFocus = !back;
    ui.menu.value = false;
    ui.open.value = open;
    if (open) {
      noteTeaser('');
      resume();
    }
    emit(open ? 'open' : 'close');
  }

  /** A session is teased once, and not at all once the window was open. */
  function noteTeaser(text: string): void {
    ui.teaser.value = text;
    session.set('teased', 1);
  }

  /** What is queued goes on its way, what was said meanwhile is fetched. */
  function resume(): void {
    if (conversation.started.peek()) ui.modules.need('messages');
    ui.thread.peek()?.wake();
  }

  const room = prepareFrame(host);
  const setLocale = createLanguage(ui);
  const undo = [followLauncher(ui), followThread(ui)];
  setLocale();
  // A moment later: whoever opens it at once has it drawn once, open.
  queueMicrotask(() => {
    if (signal.aborted) return;
    render(
      <>
        <Teaser ui={ui} />
        <ChatWindow ui={ui} />
      </>,
      room,
    );
  });

  const listen = (target: EventTarget, type: string, listener: (event: Event) => void) =>
    target.addEventListener(type, listener, { signal });
  listen(window, 'online', resume);
  listen(document, 'visibilitychange', () => {
    if (document.visibilityState === 'visible') resume();
  });
  listen(window, 'storage', (event) => {
    const { key, newValue } = event as StorageEvent;
    if (!key?.startsWith(prefix)) return;
    conversation.readStore();
    ui.thread.peek()?.readStore(newValue == null && key.startsWith(`${prefix}out.`));
  });
  resume();
  // Not over the whole of a phone's screen: there somebody goes to a page to see it. And not before what waited for
  // the chat: a click on the launcher is to open the window, not to close what has just opened by itself.
  setTimeout(() => {
    if (!signal.aborted && !isSmall() && session.get('open')) toggle(true, true);
  });

  return {
    open: () => toggle(true),
    close: () => toggle(false),
    toggle: () => toggle(!ui.open.peek()),
    tease() {
      if (ui.open.peek() || conversation.started.peek() || element.hidden) return;
      ui.modules.need('extras');
      noteTeaser(widget.greeting_message);
    },
    setVisitor: given('setVisitor', {}, conversation.setVisitor),
    setLocale: given('setLocale', '', setLocale),
    send: given('send', '', conversation.send),
    destroy() {
      life.abort();
      for (const stop of undo) stop();
      render(null, room);
    },
  };
}
