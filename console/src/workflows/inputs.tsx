import { Field } from '../ui/field.tsx';
import { linesOf, useTyped } from './typed.ts';

interface Props<T> {
  label: string;
  name: string;
  hint?: string | undefined;
  error?: string | undefined;
  value: T;
  onChange(value: T): void;
}

/** What is no number goes to the server as it is, which says so. */
const numberOf = (text: string, factor: number): number | undefined => {
  const plain = text.trim().replace(',', '.');
  if (plain === '') return undefined;
  const number = Number(plain);
  return Number.isNaN(number) ? (text as unknown as number) : Math.round((number / factor) * 1e6) / 1e6;
};

const shown = (value: number | undefined, factor: number): string => {
  if (typeof value !== 'number') return value ?? '';
  return String(Math.round(value * factor * 1e6) / 1e6);
};

/**
 * A number, or nothing.
 * @param factor how many of what is shown one of the value is: 100 for percent
 */
export const NumberField = ({
  value,
  onChange,
  factor = 1,
  ...rest
}: Props<number | null | undefined> & { factor?: number }) => {
  const [text, type] = useTyped<number | undefined>(
    value ?? undefined,
    (one) => shown(one, factor),
    (one) => numberOf(one, factor),
  );
  return (
    <Field
      {...rest}
      inputMode="decimal"
      autocomplete="off"
      value={text}
      onInput={({ currentTarget }) => onChange(type(currentTarget.value) ?? null)}
    />
  );
};

/** Several texts, one a line. */
export const LinesField = ({
  value,
  onChange,
  rows,
  ...rest
}: Props<readonly string[]> & { rows: number }) => {
  const [text, type] = useTyped<readonly string[]>(value, (lines) => lines.join('\n'), linesOf);
  return (
    <Field
      {...rest}
      rows={rows}
      value={text}
      onInput={({ currentTarget }) => onChange(type(currentTarget.value))}
    />
  );
};

/** A text of one line or of several. */
export const TextField = ({
  value,
  onChange,
  ...rest
}: Props<string> & { rows?: number; maxLength?: number; isVerbatim?: boolean }) => (
  <Field
    {...rest}
    autocomplete="off"
    value={value}
    onInput={({ currentTarget }) => onChange(currentTarget.value)}
  />
);
