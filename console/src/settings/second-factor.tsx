import type { Account, Member, TotpSecret } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { encode } from 'uqr';
import type { z } from 'zod';
import { ApiError, ask } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { account, lacksSecondFactor, me } from '../session/session.ts';
import { Section } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Copyable } from '../ui/copyable.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/notice.tsx';
import { Toggle } from '../ui/toggle.tsx';
import { useForm } from '../ui/use-form.ts';
import { type Codes, showRecoveryCodes } from './recovery-codes.tsx';
import styles from './second-factor.module.css';

type Secret = z.infer<typeof TotpSecret>;

/** A QR code (ISO/IEC 18004), black on white in either colour scheme, since cameras expect it. */
const Code = ({ text }: { text: string }) => {
  const { data, size } = encode(text, { ecc: 'M', border: 2 });
  const path = data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
  return (
    <svg class={styles.code} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges" aria-hidden="true">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
};

const AskPassword = ({
  label,
  kind,
  onPassword,
}: {
  label: string;
  kind: 'primary' | 'danger';
  onPassword(password: string): Promise<void>;
}) => {
  const form = useForm(({ password = '' }) => onPassword(password));
  // Who has none has signed in at a provider just now, or is told to.
  const hasPassword = me.value?.has_password;
  return (
    <Form form={form} error={hasPassword ? undefined : form.fields.password} submit={label} kind={kind}>
      {hasPassword && (
        <Field
          label={words.value.security.confirmPassword}
          name="password"
          type="password"
          autocomplete="current-password"
          autofocus
          error={form.fields.password}
        />
      )}
    </Form>
  );
};

const Confirm = ({ secret, onCodes }: { secret: Secret; onCodes(codes: Codes): void }) => {
  const t = words.value.security;
  const form = useForm(async ({ code = '' }) => {
    const answer = await ask<{ recovery_codes: Codes }>('POST', 'auth/totp/confirm', { code: code.trim() });
    onCodes(answer.recovery_codes);
  });
  return (
    <Form form={form} submit={t.confirm}>
      <p>{t.scan}</p>
      <Code text={secret.uri} />
      <Copyable label={t.key} text={secret.secret} />
      <Field
        label={words.value.signIn.code}
        hint={t.enter}
        name="code"
        inputMode="numeric"
        autocomplete="one-time-code"
        error={form.fields.code}
      />
    </Form>
  );
};

/** Password, then the app's secret and its first code, then the recovery codes. */
const SetUp = ({ onClose }: { onClose(): void }) => {
  const [secret, setSecret] = useState<Secret>();
  const begin = async (password: string) => setSecret(await ask<Secret>('POST', 'auth/totp', { password }));
  const finish = (codes: Codes): void => {
    onClose();
    showRecoveryCodes(codes);
  };
  return (
    <Dialog title={words.value.security.factor} onClose={onClose}>
      {secret ? (
        <Confirm secret={secret} onCodes={finish} />
      ) : (
        <AskPassword label={words.value.common.continue} kind="primary" onPassword={begin} />
      )}
    </Dialog>
  );
};

const TurnOff = ({ onClose }: { onClose(): void }) => {
  const t = words.value.security;
  const turnOff = async (password: string) => {
    await ask('POST', 'auth/totp/disable', { password });
    if (me.value) me.value = { ...me.value, has_totp: false };
    onClose();
  };
  return (
    <Dialog title={t.turnOff} onClose={onClose}>
      <AskPassword label={t.turnOff} kind="danger" onPassword={turnOff} />
    </Dialog>
  );
};

/** Whether everybody needs one, for owners to decide. */
const Requirement = ({ member, current }: { member: Member; current: Account }) => {
  const t = words.value.security;
  const [error, setError] = useState('');
  const change = (wanted: boolean) => {
    setError('');
    account.value = { ...current, requires_totp: wanted };
    ask<Account>('PATCH', 'account/', { requires_totp: wanted })
      .then((changed) => {
        account.value = changed;
      })
      .catch((reason) => {
        account.value = current;
        setError(
          (reason instanceof ApiError && reason.fields.requires_totp) || words.value.errors.unexpected,
        );
      });
  };
  return (
    <>
      <Toggle
        label={t.required}
        hint={member.has_totp ? t.requiredHint : t.requiredNeedsOwn}
        checked={current.requires_totp}
        disabled={!member.has_totp}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
      <Notice>{error}</Notice>
    </>
  );
};

/** A member's second factor, and whether the account asks for one. */
export const SecondFactor = () => {
  const t = words.value.security;
  const [open, setOpen] = useState<'set-up' | 'turn-off'>();
  const member = me.value;
  const current = account.value;
  if (!member || !current) return null;
  const close = () => setOpen(undefined);
  return (
    <Section title={t.factor} hint={member.has_totp ? t.factorOn : t.factorOff}>
      <Button kind={member.has_totp ? 'plain' : 'primary'} onClick={() => setOpen('set-up')}>
        {member.has_totp ? t.setUpAnew : t.setUp}
      </Button>
      {member.has_totp && !current.requires_totp && (
        <Button kind="danger" onClick={() => setOpen('turn-off')}>
          {t.turnOff}
        </Button>
      )}
      {member.role === 'owner' && !lacksSecondFactor.value && (
        <Requirement member={member} current={current} />
      )}
      {open === 'set-up' && <SetUp onClose={close} />}
      {open === 'turn-off' && <TurnOff onClose={close} />}
    </Section>
  );
};
