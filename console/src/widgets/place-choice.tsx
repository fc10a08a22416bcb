import type { NewWidget } from '@parlor/shared';
import type { ComponentChildren } from 'preact';
import { widgetWords } from '../locale/widgets.ts';
import styles from './place-choice.module.css';

const DOWN = ['top', 'center', 'bottom'] as const;
const ACROSS = ['left', 'center', 'right'] as const;

/** Where the chat stands: nine places, as they lie on the screen; the arrow keys move between them. */
export const PlaceChoice = ({
  settings: { vertical_align, horizontal_align },
  onChange,
  children,
}: {
  settings: NewWidget;
  onChange(place: Pick<NewWidget, 'vertical_align' | 'horizontal_align'>): void;
  children?: ComponentChildren;
}) => {
  const t = widgetWords.value;
  return (
    <fieldset class={styles.place}>
      <legend>{t.fields.vertical_align}</legend>
      <div class={styles.screen} dir="ltr">
        {DOWN.flatMap((down) =>
          ACROSS.map((across) => (
            <label key={`${down} ${across}`}>
              <input
                type="radio"
                name="place"
                aria-label={`${t.vertical[down]} ${t.horizontal[across]}`}
                checked={down === vertical_align && across === horizontal_align}
                onChange={() => onChange({ vertical_align: down, horizontal_align: across })}
              />
            </label>
          )),
        )}
      </div>
      <p class={styles.chosen}>
        {t.vertical[vertical_align]} {t.horizontal[horizontal_align]}
      </p>
      {children}
    </fieldset>
  );
};
