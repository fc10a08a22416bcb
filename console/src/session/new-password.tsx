import { Field } from '../ui/field.tsx';

interface Props {
  label: string;
  /** Of the field in which it is typed once more. */
  label2: string;
  /** What the server says of both, by name. */
  fields: Readonly<Record<string, string>>;
  autofocus?: boolean;
}

/** A password that is chosen, and typed twice. */
export const NewPassword = ({ label, label2, fields, autofocus = false }: Props) => (
  <>
    <Field
      label={label}
      name="password"
      type="password"
      autocomplete="new-password"
      autofocus={autofocus}
      error={fields.password}
    />
    <Field
      label={label2}
      name="password2"
      type="password"
      autocomplete="new-password"
      error={fields.password2}
    />
  </>
);
