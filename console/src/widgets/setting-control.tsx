import { LIMITS } from 'virtual:widget-settings';
import type { NewWidget } from '@parlor/shared';
import { codePoints } from '@parlor/shared/lengths';
import { lookupLocale } from '@parlor/shared/locales';
import { WIDGET_TEXTS, type WidgetTexts } from '@parlor/shared/widget-texts';
import type { ComponentChildren } from 'preact';
import { count, language } from '../locale/locale.ts';
import { widgetWords } from '../locale/widgets.ts';
import { Field } from '../ui/field.tsx';
import { Toggle } from '../ui/toggle.tsx';
import { Choice } from './choice.tsx';
import { ColorField } from './color-field.tsx';
import { FIELDS, type SettingName } from './fields.ts';
import { PlaceChoice } from './place-choice.tsx';
import styles from './setting.module.css';

export interface ControlProps {
  name: SettingName;
  settings: NewWidget;
  /** What the server says of it. */
  error: string | undefined;
  onChange(settings: Partial<NewWidget>): void;
  /** Stands below it. */
  children?: ComponentChildren;
}

/** How much of its room a text takes. */
const Length = ({ text, max }: { text: string; max: number }) => {
  const length = codePoints(text);
  return (
    <p class={`${styles.length} ${length > max ? styles.over : ''}`}>
      <span aria-hidden="true">
        {count(length)} / {count(max)}
      </span>
      <span class="hidden">{widgetWords.value.length(count(length), count(max))}</span>
    </p>
  );
};

const TextControl = ({ name, settings, error, onChange, children }: ControlProps) => {
  const t = widgetWords.value;
  const kind = FIELDS[name][1];
  const value = String(settings[name]);
  const { maxLength: max = 0 } = LIMITS[name];
  // What stands there while the owner says nothing, for a visitor of the console's own language.
  const own = WIDGET_TEXTS[lookupLocale([language.value])][name as keyof WidgetTexts];
  return (
    <div class={styles.text}>
      <Field
        name={name}
        label={t.fields[name]}
        hint={t.hints[name] || undefined}
        error={error}
        maxLength={max}
        autocomplete="off"
        value={value}
        {...(kind === 'paragraph' && { rows: 3 })}
        {...(kind === 'address' && { type: 'url', isVerbatim: true, placeholder: 'https://' })}
        {...(own && { placeholder: own })}
        onInput={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
      >
        <Length text={value} max={max} />
        {children}
      </Field>
    </div>
  );
};

const NumberControl = ({ name, settings, error, onChange, children }: ControlProps) => {
  const t = widgetWords.value;
  const { minimum = 0, maximum = 0, 'x-unit': unit } = LIMITS[name];
  const value = Number(settings[name] ?? Number.NaN);
  const isGood = Number.isInteger(value) && value >= minimum && value <= maximum;
  const units = t.units as Record<string, string>;
  return (
    <div class={styles.number}>
      <Field
        name={name}
        label={t.fields[name]}
        hint={t.hints[name] || undefined}
        error={isGood ? error : t.between(count(minimum), count(maximum))}
        type="number"
        inputMode="numeric"
        min={String(minimum)}
        max={String(maximum)}
        value={Number.isFinite(value) ? String(value) : ''}
        onInput={({ currentTarget }) =>
          onChange({ [name]: (currentTarget as HTMLInputElement).valueAsNumber })
        }
      >
        <p class={styles.unit}>
          {unit && units[unit]}, {t.range(count(minimum), count(maximum))}
        </p>
        {children}
      </Field>
    </div>
  );
};

/** What changes one setting, by the kind of it, with its limits. */
export const SettingControl = (props: ControlProps) => {
  const { name, settings, error, onChange, children } = props;
  const t = widgetWords.value;
  const label = t.fields[name];
  const refused = error && (
    <p class={styles.error} role="alert">
      {error}
    </p>
  );
  switch (FIELDS[name][1]) {
    case 'in place':
      return null;
    case 'color':
      return (
        <ColorField value={settings.color} error={error} onChange={(color) => onChange({ color })}>
          {children}
        </ColorField>
      );
    case 'place':
      return (
        <PlaceChoice settings={settings} onChange={onChange}>
          {refused}
          {children}
        </PlaceChoice>
      );
    case 'side':
      return (
        <div class={styles.group}>
          <Choice
            label={label}
            name={name}
            value={settings.bot_message_position}
            options={(['left', 'center', 'right'] as const).map((side) => [side, t.sides[side]] as const)}
            hint={t.hints[name]}
            onChange={(side) => onChange({ bot_message_position: side })}
          />
          {refused}
          {children}
        </div>
      );
    case 'switch':
      return (
        <div class={styles.group}>
          <Toggle
            label={label}
            name={name}
            {...(t.hints[name] && { hint: t.hints[name] })}
            checked={settings[name] === true}
            onChange={({ currentTarget }) => onChange({ [name]: currentTarget.checked })}
          />
          {refused}
          {children}
        </div>
      );
    case 'number':
      return <NumberControl {...props} />;
    default:
      return <TextControl {...props} />;
  }
};

/** A setting's value in words. */
export const shownValue = (name: SettingName, value: NewWidget[SettingName] | undefined): string => {
  const t = widgetWords.value;
  if (typeof value === 'boolean') return value ? t.on : t.off;
  if (value === '' || value === undefined) return t.nothing;
  if (name === 'bot_message_position') return t.sides[value as 'left'];
  if (name === 'vertical_align') return t.vertical[value as 'top'];
  if (name === 'horizontal_align') return t.horizontal[value as 'left'];
  return typeof value === 'number' ? count(value) : value;
};

/** Of a setting that a colleague has changed, too: both values, to choose. */
export const Dispute = ({
  name,
  mine,
  theirs,
  onChoose,
}: {
  name: SettingName;
  mine: NewWidget[SettingName];
  theirs: NewWidget[SettingName] | undefined;
  onChoose(isTheirs: boolean): void;
}) => {
  const t = widgetWords.value;
  return (
    // biome-ignore lint/a11y/useSemanticElements: two buttons that belong together are no part of a form
    <div class={styles.dispute} role="group" aria-label={t.fields[name]} data-dispute>
      <p dir="auto">{t.theirs(shownValue(name, theirs))}</p>
      <button type="button" onClick={() => onChoose(true)}>
        {t.take}
      </button>
      <p dir="auto">{t.mine(shownValue(name, mine))}</p>
      <button type="button" onClick={() => onChoose(false)}>
        {t.keep}
      </button>
    </div>
  );
};
