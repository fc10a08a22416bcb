import { useEffect, useState } from 'preact/hooks';
import { members } from '../inbox/people.ts';
import { me } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import styles from './pieces.module.css';
import { GRACE, HEDY } from './samples.ts';
import { Buttons } from './stories/buttons.tsx';
import { Choices } from './stories/choices.tsx';
import { Fields } from './stories/fields.tsx';
import { Figures } from './stories/figures.tsx';
import { InboxPieces } from './stories/inbox.tsx';
import { Lists } from './stories/lists.tsx';
import { Overlays } from './stories/overlays.tsx';
import { Said } from './stories/said.tsx';

members.value = [GRACE, HEDY];
me.value = GRACE;

const GROUPS = [
  ['Buttons', Buttons],
  ['Fields', Fields],
  ['Choices', Choices],
  ['Words and pictures', Said],
  ['Lists', Lists],
  ['Above the page', Overlays],
  ['Inbox', InboxPieces],
  ['Figures', Figures],
] as const;

/** Every piece of the console in every state. Colours follow the system's scheme, and widths the window's. */
export const PiecesPage = () => {
  const [direction, setDirection] = useState<'ltr' | 'rtl'>(document.dir === 'rtl' ? 'rtl' : 'ltr');
  const [names, setNames] = useState<readonly (readonly [group: string, pieces: readonly string[]])[]>([]);
  useEffect(() => {
    document.title = 'Pieces · Parlor';
    setNames(
      [...document.querySelectorAll<HTMLElement>('[data-group]')].map((group) => [
        group.dataset.group ?? '',
        [...group.querySelectorAll<HTMLElement>('[data-piece]')].map((piece) => piece.dataset.piece ?? ''),
      ]),
    );
    // What is open takes the focus, or brings itself into view, once it is drawn.
    setTimeout(() => {
      (document.activeElement as HTMLElement | null)?.blur();
      scrollTo(0, 0);
    }, 100);
  }, [direction]);
  const turn = (wanted: 'ltr' | 'rtl') => {
    document.dir = wanted;
    setDirection(wanted);
  };
  return (
    <div class={styles.page}>
      <nav class={styles.nav} aria-label="Pieces">
        {names.map(([group, pieces]) => (
          <section key={group}>
            <p>{group}</p>
            <ul>
              {pieces.map((name) => (
                <li key={name}>
                  <button type="button" onClick={() => document.getElementById(name)?.scrollIntoView()}>
                    {name}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <main class={styles.main}>
        <header class={styles.head}>
          <div>
            <h1>Pieces</h1>
            <p>What the console is made of, in every state. Colours follow the system’s scheme.</p>
          </div>
          <div class={styles.directions}>
            <Button aria-pressed={direction === 'ltr'} onClick={() => turn('ltr')}>
              Left to right
            </Button>
            <Button aria-pressed={direction === 'rtl'} onClick={() => turn('rtl')}>
              Right to left
            </Button>
          </div>
        </header>
        {GROUPS.map(([name, Group]) => (
          // What is open in one direction is opened anew in the other.
          <div key={`${name} ${direction}`} data-group={name}>
            <Group direction={direction} />
          </div>
        ))}
      </main>
    </div>
  );
};
