import { effect } from '@preact/signals';
import { render } from 'preact';
import type { Chat, Host } from '../loader/host.ts';
import { isRightToLeft, loadTexts, pickLocale } from '../locale/locale.ts';
import { createCore } from '../sending/core.ts';
import { openStore } from '../sending/storage.ts';
import css from './chat.css?inline';
import { PATHS } from './icons.tsx';
import { Panel } from './panel.tsx';
import { adopt } from './parts.ts';
import { createUi, type Ui } from './ui.ts';

function Teaser({ ui }: { ui: Ui }) {
  const part = ui.parts.teaser.value;
  return part && ui.teaser.value && !ui.open.value ? <part.Teaser ui={ui} /> : null;
}

/** Builds the chat into the loader's shadow root. */
export function createChat(host: Host): Chat {
  const { widget, root, frame, launcher, emit } = host;
  const prefix = `parlor.${host.token}.`;
  const store = openStore(prefix, () => localStorage);
  const life = new AbortController();
  const { signal } = life;
  let turn = 0;

  const core = createCore(host, store, prefix, () => ui.tag.peek());
  const ui = createUi(host, core, toggle);

  function toggle(open: boolean): void {
    if (open === ui.open.peek()) return;
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
    try {
      sessionStorage[`${prefix}teased`] = 1;
    } catch {
      // Without storage the teaser comes on each page; nothing breaks.
    }
  }

  /** What is queued goes on its way, what was said meanwhile is fetched. */
  function resume(): void {
    core.outbox.kick();
    if (core.started.peek()) ui.parts.need('talk');
    ui.talk.peek()?.wake();
  }

  async function setLocale(tag?: string): Promise<void> {
    const mine = ++turn;
    const [picked, builtIn] = pickLocale([
      tag,
      host.locale,
      document.documentElement.lang,
      ...navigator.languages,
    ]);
    const texts = await loadTexts(builtIn);
    if (mine !== turn) return;
    ui.texts.value = texts;
    ui.tag.value = picked;
    frame.lang = picked;
    frame.dir = isRightToLeft(builtIn) ? 'rtl' : 'ltr';
  }

  adopt(root, css);
  frame.dataset.v = widget.vertical_align;
  frame.dataset.h = widget.horizontal_align;
  frame.dataset.side = widget.bot_message_position;
  const room = document.createElement('div');
  room.className = 'room';
  frame.append(room);
  setLocale();
  render(
    <>
      <Teaser ui={ui} />
      <Panel ui={ui} />
    </>,
    room,
  );

  const icon = launcher.querySelector('path') as SVGElement;
  const closed = icon.getAttribute('d') as string;
  const undo = [
    effect(() => {
      const open = ui.open.value;
      frame.toggleAttribute('data-open', open);
      launcher.ariaExpanded = `${open}`;
      frame.ariaLabel = launcher.ariaLabel = ui.caption();
      icon.setAttribute('d', open ? PATHS.down : closed);
    }),
    effect(() => {
      if (core.started.value) ui.parts.need('talk');
      const part = ui.parts.talk.value;
      if (core.started.value && part && !ui.talk.peek()) ui.talk.value = part.createTalk(ui);
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
    if ((event as StorageEvent).key?.startsWith(prefix)) {
      core.changedElsewhere();
      ui.talk.peek()?.changedElsewhere();
    }
  });
  resume();

  return {
    open: () => toggle(true),
    close: () => toggle(false),
    toggle: () => toggle(!ui.open.peek()),
    tease() {
      if (ui.open.peek() || core.started.peek()) return;
      ui.parts.need('teaser');
      noteTeaser(widget.greeting_message);
    },
    setVisitor: core.setVisitor,
    setLocale,
    send: core.say,
    destroy() {
      life.abort();
      core.stop();
      ui.talk.peek()?.stop();
      for (const stop of undo) stop();
      render(null, room);
    },
  };
}
