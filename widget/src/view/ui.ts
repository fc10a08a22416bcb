import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Host } from '../contract/host.ts';
import { type Core, FIELDS } from '../conversation/conversation.ts';
import { texts as english } from '../locale/en/chat.ts';
import type { Texts } from '../locale/en.ts';
import { ENGLISH } from '../locale/locale.ts';
import type { Talk } from '../messages/index.tsx';
import { createParts, type Parts } from './lazy-modules.ts';

/** What every part of the window is given. */
export interface Ui {
  host: Host;
  core: Core;
  parts: Parts;
  /** The running conversation, once its file has come. */
  talk: Signal<Talk | undefined>;
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

export function createUi(host: Host, core: Core, toggle: Ui['toggle']): Ui {
  const inEnglish = signal<Partial<Texts>>(english);
  const translated = signal(ENGLISH);
  // A part says nothing before its texts have come with it, so whoever asks for one finds it.
  const texts = computed(() => ({ ...inEnglish.value, ...translated.value }) as Texts);
  const tag = signal('en');
  return {
    host,
    core,
    parts: createParts(host.root, (more) => {
      inEnglish.value = { ...inEnglish.peek(), ...more };
    }),
    talk: signal(undefined),
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
    draft: signal(core.store.get<string>('draft') ?? ''),
    toggle,
    // In another language the settings' texts are others, too.
    caption: () => (texts.value && host.widget.start_button_caption) || '',
  };
}

/** True while the form stands before the conversation: the owner asks, and nobody has told yet. */
export const needsForm = ({ core, host }: Ui): boolean =>
  !!core.refusedLead.value ||
  (!core.started.value &&
    FIELDS.some(([name, setting]) => host.widget[setting] && !core.visitor.value[name]));
