import type { ProgramToken, Scope, ShownProgramToken } from '@parlor/shared';
import { MAX_TOKEN_NAME } from '@parlor/shared/limits';
import { useState } from 'preact/hooks';
import { useCreation } from '../api/create.ts';
import { tokenWords } from '../locale/tokens.ts';
import { Button } from '../ui/button.tsx';
import { Copyable } from '../ui/copyable.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/notice.tsx';
import { Select } from '../ui/select.tsx';
import { useForm } from '../ui/use-form.ts';
import { offered, type Right } from './scopes.ts';
import styles from './tokens.module.css';

const DAY_MS = 86_400_000;
const EXPIRIES = [30, 90, 365, 0] as const;

const ScopeChoice = ({ error }: { error: string | undefined }) => {
  const t = tokenWords.value;
  return (
    <fieldset class={styles.scopes}>
      <legend>{t.scopes}</legend>
      {offered().map(({ area, rights }) => (
        <fieldset key={area} class={styles.area}>
          <legend>{t.areas[area]}</legend>
          {rights.map((right) => (
            <label key={right}>
              <input type="radio" name={area} value={right} defaultChecked={right === 'none'} />
              <span>{t.rights[right]}</span>
            </label>
          ))}
        </fieldset>
      ))}
      {error && (
        <p class={styles.error} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
};

/** The scopes that were chosen in the form. */
const scopesIn = (values: Readonly<Record<string, string>>): Scope[] =>
  offered().flatMap(({ area }): Scope[] => {
    const right = (values[area] ?? 'none') as Right;
    return right === 'none' ? [] : [`${area}:${right}` as Scope];
  });

/** Makes a token, and shows it this once. */
export const AddToken = ({ onClose, onAdded }: { onClose(): void; onAdded(token: ProgramToken): void }) => {
  const t = tokenWords.value;
  const [isMissing, setMissing] = useState(false);
  const [shown, setShown] = useState<string>();
  const { create } = useCreation();
  // Not when it is sent: sent again it is to be the same.
  const [openedAt] = useState(() => Date.now());
  const form = useForm(async (values) => {
    const scopes = scopesIn(values);
    setMissing(scopes.length === 0);
    if (scopes.length === 0) return;
    const days = Number(values.days);
    const expires_at = days === 0 ? null : new Date(openedAt + days * DAY_MS).toISOString();
    const body = { name: (values.name ?? '').trim(), scopes, expires_at };
    const { token, ...added } = await create<ShownProgramToken>('tokens/', body);
    onAdded(added);
    setShown(token);
  });
  return (
    <Dialog title={t.add} onClose={onClose}>
      {shown ? (
        <div class={styles.shown}>
          <Copyable label={t.token} text={shown} />
          <Notice kind="plain">{t.once}</Notice>
          <Button kind="primary" onClick={onClose}>
            {t.done}
          </Button>
        </div>
      ) : (
        <Form form={form} error={form.fields.expires_at} submit={t.create}>
          <Field
            label={t.name}
            hint={t.nameHint}
            name="name"
            autocomplete="off"
            maxLength={MAX_TOKEN_NAME}
            autofocus
            error={form.fields.name}
          />
          <ScopeChoice error={form.fields.scopes ?? (isMissing ? t.scopesMissing : undefined)} />
          <Select
            label={t.expiry}
            name="days"
            value="365"
            options={EXPIRIES.map((days) => [String(days), t.expiries[days]] as const)}
          />
        </Form>
      )}
    </Dialog>
  );
};
