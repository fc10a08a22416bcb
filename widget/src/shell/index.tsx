import { effect } from '@preact/signals';
import { render } from 'preact';
import type { Chat, ChatModule, Host } from '../contract/host.ts';
import { createCore } from '../conversation/conversation.ts';
import type { Texts } from '../locale/en.ts';
import { ENGLISH, isRightToLeft, loadTexts, pickLocale } from '../locale/locale.ts';
import { openStore } from '../platform/storage.ts';
import { warn } from '../platform/warn.ts';
import { PATHS } from '../view/icons.tsx';
import { adopt, LOAD } from '../view/lazy-modules.ts';
import { createUi, type Ui } from '../view/ui.ts';
import css from './shell.css?inline';
import { isSmall, Panel } from './window.tsx';

/** The pause before a file that did not load is asked for again. */
const TALK_RETRY_MS = 5_000;

function Teaser({ ui }: { ui: Ui }) {
  const part = ui.parts.extras.value;
  return part && ui.teaser.value && !ui.open.value ? <part.Teaser ui={ui} /> : null;
}

export const explain: ChatModule['explain'] = async (...what) => (await LOAD.extras()).explain(...what);

/** A call of the page that takes something like the sample; it is told when it gives anything else. */
const given =
  <T,>(name: string, sample: T, call: (argument: T) => unknown) =>
  (argument: T): void => {
    if (typeof (argument ?? 0) === typeof sample) call(argument);
    else warn(`${name} needs: ${typeof sample}`);
  };

/** Builds the chat into the loader's shadow root. */
export function createChat(host: Host): Chat {
  const { widget, root, frame, launcher, emit } = host;
  const prefix = `parlor.${host.token}.`;
  const store = openStore(prefix, () => localStorage);
  const life = new AbortController();
  const { signal } = life;
  const element = root.host as HTMLElement;
  let turn = 0;
  let retry: ReturnType<typeof setTimeout>;

  const core = createCore(host, store, prefix);
  const ui = createUi(host, core, toggle);

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

  /** What the next page of this tab is to know. Without storage each page begins anew; nothing breaks. */
  const session = openStore(prefix, () => sessionStorage);

  /** A session is teased once, and not at all once the window was open. */
  function noteTeaser(text: string): void {
    ui.teaser.value = text;
    session.set('teased', 1);
  }

  /** What is queued goes on its way, what was said meanwhile is fetched. */
  function resume(): void {
    if (core.started.peek()) ui.parts.need('talk');
    ui.talk.peek()?.wake();
  }

  /** What was said must get out, even if the file that does that does not come at once. */
  async function keepTrying(): Promise<void> {
    clearTimeout(retry);
    if (await ui.parts.need('talk')) return;
    if (!signal.aborted) retry = setTimeout(keepTrying, TALK_RETRY_MS);
  }

  async function setLocale(tag?: string): Promise<void> {
    const mine = ++turn;
    const [picked, builtIn] = pickLocale([
      tag,
      host.locale,
      document.documentElement.lang,
      ...navigator.languages,
    ]);
    // The owner's unwritten texts are the server's; the loader has asked for those of the first language.
    const settings =
      tag &&
      (await import('./settings.ts').then((rare) => rare.settingsIn(host, builtIn)).catch(() => undefined));
    const say = (texts: Partial<Texts>) => {
      if (mine !== turn) return;
      Object.assign(widget, settings);
      ui.translate(texts);
      ui.tag.value = picked;
      frame.lang = picked;
      frame.dir = isRightToLeft(builtIn) ? 'rtl' : 'ltr';
    };
    // English at once: said a moment later, all that stands there by then would be laid out anew.
    if (builtIn === 'en') say(ENGLISH);
    else say(await loadTexts(builtIn));
  }

  adopt(root, css);
  // Nothing said: inherited from the page, and from the system only where the page follows it.
  frame.style.colorScheme = host.scheme ?? '';
  // The shade is the ink's opposite: mixed into the fill it only ever raises their contrast.
  const ink = frame.style.getPropertyValue('--c1');
  frame.style.setProperty('--c2', ink === '#000' ? '#fff' : '#000');
  frame.dataset.v = widget.vertical_align;
  frame.dataset.h = widget.horizontal_align;
  frame.dataset.side = widget.bot_message_position;
  const room = document.createElement('div');
  room.className = 'room';
  frame.append(room);
  const pill = launcher.querySelector('bdi');
  // As it was drawn: its icon stays at its side, whichever way the chat is written.
  if (pill) launcher.dir = getComputedStyle(launcher).direction;
  setLocale();
  // A moment later: whoever opens it at once has it drawn once, open.
  queueMicrotask(() => {
    if (signal.aborted) return;
    render(
      <>
        <Teaser ui={ui} />
        <Panel ui={ui} />
      </>,
      room,
    );
  });

  const icon = launcher.querySelector('path') as SVGElement;
  const closed = icon.getAttribute('d') as string;
  const undo = [
    effect(() => {
      const open = ui.open.value;
      frame.toggleAttribute('data-open', open);
      launcher.ariaExpanded = `${open}`;
      const caption = ui.caption();
      frame.ariaLabel = launcher.ariaLabel = caption;
      if (pill) pill.textContent = caption;
      icon.setAttribute('d', open ? PATHS.down : closed);
    }),
    effect(() => {
      const part = ui.parts.talk.value;
      const talk = ui.talk.peek();
      if (!core.started.value) {
        // All data deleted, here or in another tab.
        talk?.stop();
        ui.talk.value = undefined;
      } else if (!talk) {
        if (part) ui.talk.value = part.createTalk(ui);
        else keepTrying();
      }
    }),
  ];

  // The page's own keyboard shortcuts are not for what is typed here.
  for (const type of ['keydown', 'keyup', 'keypress'])
    root.addEventListener(type, (event) => event.stopPropagation());
  const listen = (target: EventTarget, type: string, listener: (event: Event) => void) =>
    target.addEventListener(type, listener, { signal });
  listen(window, 'online', resume);
  listen(document, 'visibilitychange', () => {
    if (document.visibilityState === 'visible') resume();
  });
  listen(window, 'storage', (event) => {
    const { key, newValue } = event as StorageEvent;
    if (!key?.startsWith(prefix)) return;
    core.readStore();
    ui.talk.peek()?.readStore(newValue == null && key.startsWith(`${prefix}out.`));
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
      if (ui.open.peek() || core.started.peek() || element.hidden) return;
      ui.parts.need('extras');
      noteTeaser(widget.greeting_message);
    },
    setVisitor: given('setVisitor', {}, core.setVisitor),
    setLocale: given('setLocale', '', setLocale),
    send: given('send', '', core.say),
    destroy() {
      life.abort();
      clearTimeout(retry);
      ui.talk.peek()?.stop();
      for (const stop of undo) stop();
      render(null, room);
    },
  };
}
