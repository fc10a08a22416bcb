import { LIMITS } from 'virtual:widget-settings';
import type { ComponentChildren } from 'preact';
import { widgetWords } from '../locale/widgets.ts';
import { Field } from '../ui/field.tsx';
import styles from './color-field.module.css';

/** Good on white, with white or black text on them. */
const SWATCHES = ['#2563eb', '#0f766e', '#15803d', '#b45309', '#b3261e', '#be185d', '#7c3aed', '#1c1b19'];

/** The form that the browser's own picker takes: six digits, without transparency. */
const sixDigits = (color: string): string | undefined => {
  const [, digits] = /^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i.exec(color) ?? [];
  if (digits === undefined) return undefined;
  const long = digits.length < 6 ? digits.replace(/./g, '$&$&') : digits;
  return `#${long.slice(0, 6).toLowerCase()}`;
};

/** A colour as text, by the browser's picker, or one of a few good ones. */
export const ColorField = ({
  value,
  error,
  onChange,
  children,
}: {
  value: string;
  error: string | undefined;
  onChange(color: string): void;
  children?: ComponentChildren;
}) => {
  const t = widgetWords.value;
  const six = sixDigits(value);
  return (
    <div class={styles.color}>
      <input
        type="color"
        class={styles.picker}
        aria-label={t.pickColor}
        value={six ?? '#000000'}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Field
        name="color"
        label={t.fields.color}
        hint={t.hints.color}
        error={error}
        isVerbatim
        autocomplete="off"
        maxLength={LIMITS.color.maxLength}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
      >
        <ul class={styles.swatches}>
          {SWATCHES.map((color) => (
            <li key={color}>
              <button
                type="button"
                aria-label={color}
                aria-pressed={six === color}
                style={{ '--swatch': color }}
                onClick={() => onChange(color)}
              />
            </li>
          ))}
        </ul>
        {children}
      </Field>
    </div>
  );
};
