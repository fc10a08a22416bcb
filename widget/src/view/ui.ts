import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import type { Host } from '../contract/host.ts';
import { type Conversation, FIELDS } from '../conversation/conversation.ts';
import type { History } from '../conversation/history.ts';
import { texts as english } from '../locale/en/chat.ts';
import type { Texts } from '../locale/en.ts';
import { ENGLISH } from '../locale/locale.ts';
import { createLazyModules, type LazyModules, type Loads } from './lazy-modules.ts';
import { adopt } from './style.ts';

type Component = FunctionComponent<{ ui: Ui }>;

/** A running conversation: what was said, how it is shown, and what a closed window shows of it. */
export interface Thread extends History {
  MessageList: Component;
}

/** The files that come only when they are needed. Each one's style sheet and English texts come with it. */
export interface Modules {
  messages: { createThread(ui: Ui): Thread };
  form: { Form: Component };
  menu: { Menu: Component };
  extras: { Teaser: Component; chime(): void };
}

/** What every part of the window is given. */
export interface Ui {
  host: Host;
  conversation: Conversation;
  modules: LazyModules<Modules>;
  /** The running conversation, once its file has come. */
  thread: Signal<Thread | undefined>;
  texts: ReadonlySignal<Texts>;
  /** Says everything in a further language; what is missing there stays English. */
  translate(texts: Partial<Texts>): void;
  /** The language tag that dates and times are written in. */
  tag: Signal<string>;
  /** The time of day in that language; made once, since making one takes longer than using it. */
  clock: ReadonlySignal<Intl.DateTimeFormat>;
  open: Signal<boolean>;
  /** Whether a window that opens is what the visitor wants to write in. */
  takesFocus: boolean;
  menu: Signal<boolean>;
  /** What stands beside the closed launcher: the greeting, or the newest message. */
  teaser: Signal<string>;
  /** What the visitor is writing. */
  draft: Signal<string>;
  toggle(open: boolean): void;
  /** The launcher's name: the owner's, else what it does. */
  caption(): string;
}

export function createUi(
  host: Host,
  conversation: Conversation,
  loads: Loads<Modules>,
  toggle: Ui['toggle'],
): Ui {
  const inEnglish = signal<Partial<Texts>>(english);
  const translated = signal(ENGLISH);
  // A module says nothing before its texts have come with it, so whoever asks for one finds it.
  const texts = computed(() => ({ ...inEnglish.value, ...translated.value }) as Texts);
  const tag = signal('en');
  return {
    host,
    conversation,
    modules: createLazyModules(loads, (module: { css?: string; texts?: Partial<Texts> }) => {
      if (module.css) adopt(host.root, module.css);
      if (module.texts) inEnglish.value = { ...inEnglish.peek(), ...module.texts };
    }),
    thread: signal(undefined),
    texts,
    translate(texts) {
      translated.value = texts;
    },
    tag,
    clock: computed(() => new Intl.DateTimeFormat(tag.value, { hour: 'numeric', minute: '2-digit' })),
    open: signal(false),
    takesFocus: true,
    menu: signal(false),
    teaser: signal(''),
    draft: signal(conversation.store.get<string>('draft') ?? ''),
    toggle,
    // In another language the settings' texts are others, too.
    caption: () => (texts.value && host.widget.start_button_caption) || '',
  };
}

/** True while the form stands before the conversation: the owner asks, and nobody has told yet. */
export const needsForm = ({ conversation, host }: Ui): boolean =>
  !!conversation.refusedLead.value ||
  (!conversation.started.value &&
    FIELDS.some(([name, setting]) => host.widget[setting] && !conversation.visitor.value[name]));
