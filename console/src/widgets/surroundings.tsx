import { isRightToLeft, LOCALES } from '@parlor/shared/locales';
import { language } from '../locale/locale.ts';
import { widgetWords } from '../locale/widgets.ts';
import { Select } from '../ui/select.tsx';
import { Toggle } from '../ui/toggle.tsx';
import { Choice } from './choice.tsx';
import styles from './preview.module.css';

/** Screens in CSS pixels; a window, which has a bar of its own height above the page, is at least so high. */
export const DEVICES = {
  desktop: { width: 1_024, height: 640, bar: 44 },
  tablet: { width: 768, height: 1_024, bar: 0 },
  phone: { width: 375, height: 720, bar: 0 },
  landscape: { width: 720, height: 360, bar: 0 },
} as const;

export interface Surroundings {
  device: keyof typeof DEVICES;
  /** The website as it is, or as a hard case of one. */
  site: '' | 'hostile' | 'strict';
  scheme: 'light' | 'dark';
  locale: string;
  isOpen: boolean;
}

const DEVICE_NAMES = Object.keys(DEVICES) as Surroundings['device'][];

/** What the preview begins with; on a phone with what is like it. */
export const USUAL: Surroundings = {
  device: matchMedia('(max-width: 640px)').matches ? 'phone' : 'desktop',
  site: '',
  scheme: 'light',
  locale: language.value,
  isOpen: true,
};

const ICONS = {
  desktop: 'M2.5 4h15v10h-15zM7 17h6M10 14v3',
  tablet: 'M5 2.5h10v15H5zM9 15h2',
  phone: 'M6.5 2.5h7v15h-7zM9.5 15h1',
  landscape: 'M2.5 6.5h15v7h-15zM15 9.5v1',
} as const;

/** A language by its own name, with its direction where that is the rarer one. */
const nameOf = (locale: string): string => {
  const name = new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
  return isRightToLeft(locale) ? widgetWords.value.preview.rightToLeft(name) : name;
};

/** Chooses what surrounds the widget in the preview. */
export const SurroundingsBar = ({
  around,
  onChange,
}: {
  around: Surroundings;
  onChange(change: Partial<Surroundings>): void;
}) => {
  const t = widgetWords.value.preview;
  const { schemes, sites } = t;
  return (
    <div class={styles.surroundings}>
      <Choice
        label={t.device}
        name="device"
        isLabelHidden
        value={around.device}
        options={DEVICE_NAMES.map((one) => [one, t.devices[one], ICONS[one]] as const)}
        onChange={(device) => onChange({ device })}
      />
      <Choice
        label={t.scheme}
        name="scheme"
        isLabelHidden
        value={around.scheme}
        options={[
          ['light', schemes.light],
          ['dark', schemes.dark],
        ]}
        onChange={(scheme) => onChange({ scheme })}
      />
      <Toggle
        label={t.open}
        checked={around.isOpen}
        onChange={({ currentTarget }) => onChange({ isOpen: currentTarget.checked })}
      />
      <div class={styles.selects}>
        <Select
          label={t.site}
          value={around.site}
          options={(['', 'hostile', 'strict'] as const).map((site) => [site, sites[site]] as const)}
          onChoose={(site) => onChange({ site: site as Surroundings['site'] })}
        />
        <Select
          label={t.language}
          value={around.locale}
          options={LOCALES.map((locale) => [locale, nameOf(locale)] as const)}
          onChoose={(locale) => onChange({ locale })}
        />
      </div>
    </div>
  );
};
