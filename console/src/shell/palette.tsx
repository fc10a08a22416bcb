import type { SearchResult } from '@parlor/shared';
import { INBOX_VIEWS } from '@parlor/shared/inbox-views';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { askPage } from '../api/client.ts';
import { widgets } from '../inbox/people.ts';
import { viewTitle } from '../inbox/view-title.ts';
import { folded } from '../locale/folded.ts';
import { words } from '../locale/locale.ts';
import { isComposing } from '../ui/keys.ts';
import { undoable } from '../ui/toast.tsx';
import { type Command, commands } from './commands.ts';
import { pagesOf } from './pages.ts';
import styles from './palette.module.css';

/** From this many letters on conversations are looked for, after a pause without a key (milliseconds). */
const MIN_SEARCHED = 2;
const PAUSE_MS = 250;

const FOUND = 5;

interface Group {
  title: string;
  commands: readonly Command[];
}

const fits = (label: string, typed: string): boolean =>
  folded(typed)
    .split(/\s+/)
    .every((word) => folded(label).includes(word));

/** Conversations that have the words, while they are typed. */
const useFound = (typed: string): readonly SearchResult[] => {
  const [found, setFound] = useState<readonly SearchResult[]>([]);
  useEffect(() => {
    setFound([]);
    if (typed.length < MIN_SEARCHED) return;
    let isWanted = true;
    const timer = setTimeout(() => {
      const query = new URLSearchParams({
        q: typed.slice(0, 200),
        kind: 'conversation',
        limit: String(FOUND),
      });
      askPage<SearchResult>(`search/?${query}`).then(
        ({ items }) => isWanted && setFound(items),
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [typed]);
  return found;
};

/** Everything that can be done and gone to, by its words: what is chosen is done when the palette has closed. */
export const Palette = ({ onClose }: { onClose(): void }) => {
  const t = words.value.shell;
  const id = useId();
  const { route } = useLocation();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const found = useFound(typed.trim());
  // At once: what is typed next is meant for it, and not for the keys of the page.
  const isGone = useRef(false);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    return () => {
      isGone.current = true;
    };
  }, []);

  const goTo = (label: string, address: string): Command => ({ label, run: () => route(address) });
  const views = [
    ...INBOX_VIEWS,
    ...(widgets.value.length > 1 ? widgets.value.map(({ uuid }) => `widget:${uuid}`) : []),
  ];
  const all: Group[] = [
    { title: t.actions, commands: [...undoable.value, ...commands.value] },
    {
      title: t.goTo,
      commands: [
        ...views.map((view) => goTo(viewTitle(view), `/console/inbox/${encodeURIComponent(view)}`)),
        ...pagesOf().map(({ name, address }) => goTo(t[name], address)),
      ],
    },
  ];
  const asked = typed.trim();
  const groups = [
    ...all.map((group) => ({ ...group, commands: group.commands.filter(({ label }) => fits(label, asked)) })),
    {
      title: words.value.search.kindsOf.conversation,
      commands: found.map(({ conversation, matches, uuid }) =>
        goTo(
          [conversation?.name, ...matches.map(({ text }) => text)].filter(Boolean).join(' · '),
          `/console/inbox/all/${uuid}`,
        ),
      ),
    },
    {
      title: words.value.search.title,
      commands:
        asked === ''
          ? []
          : [goTo(t.searchFor(asked), `/console/search?${new URLSearchParams({ q: asked })}`)],
    },
  ].filter((group) => group.commands.length > 0);
  const flat = groups.flatMap((group) => group.commands);
  const chosen = Math.min(at, flat.length - 1);

  const run = (command: Command | undefined) => {
    if (!command) return;
    dialog.current?.close();
    // What `close` tells comes later, maybe when it is to be open again.
    onClose();
    command.run();
  };

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((chosen + step + flat.length) % flat.length);
    else if (event.key === 'Enter') run(flat[chosen]);
    else return;
    event.preventDefault();
  };

  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  let index = 0;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={dialog}
      class={styles.palette}
      aria-label={t.palette}
      onClose={() => isGone.current || onClose()}
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
    >
      <input
        class={styles.field}
        role="combobox"
        aria-label={t.palette}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={flat.length > 0 ? `${id}-${chosen}` : undefined}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        placeholder={t.paletteHint}
        value={typed}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label={t.palette} class={styles.list}>
        {groups.map(({ title, commands: own }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options
          <div key={title} role="group" aria-label={title}>
            <p class={styles.title} aria-hidden="true">
              {title}
            </p>
            {own.map((command) => {
              const place = index++;
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys
                <div
                  key={`${command.label} ${place}`}
                  id={`${id}-${place}`}
                  role="option"
                  tabIndex={-1}
                  class={styles.option}
                  aria-selected={place === chosen}
                  onPointerMove={() => setAt(place)}
                  onClick={() => run(command)}
                >
                  <span dir="auto">{command.label}</span>
                  {command.key && <kbd>{command.key}</kbd>}
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </dialog>
  );
};
