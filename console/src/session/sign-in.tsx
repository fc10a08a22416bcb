import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/notice.tsx';
import { useForm } from '../ui/use-form.ts';
import styles from './card.module.css';
import { Card } from './card.tsx';
import { Provider } from './provider.tsx';
import { signIn, signInReason } from './session.ts';

/** Signing in by username and password, and by a code where there is a second factor. */
export const SignIn = () => {
  const t = words.value.signIn;
  const reason = signInReason.value;
  const [asksForCode, setAsksForCode] = useState(false);
  const first = useRef({ username: '', password: '' });
  const form = useForm(async (values) => {
    const { username = '', password = '', code = '' } = values;
    if (!asksForCode) first.current = { username, password };
    try {
      await signIn({ ...first.current, code: code.trim() });
    } catch (error) {
      const wantsCode = error instanceof ApiError && 'code' in error.fields && !asksForCode;
      if (!wantsCode) throw error;
      setAsksForCode(true);
    }
  });
  const { fields } = form;
  if (asksForCode) {
    return (
      <Card key="code" title={t.codeTitle} hint={t.codeHint}>
        <Form form={form} submit={t.submit}>
          <Field
            label={t.code}
            name="code"
            autocomplete="one-time-code"
            isVerbatim
            autofocus
            error={fields.code}
          />
        </Form>
        <span class={styles.other}>
          <Button kind="quiet" onClick={() => setAsksForCode(false)}>
            {t.other}
          </Button>
        </span>
      </Card>
    );
  }
  return (
    <Card key="password" title={t.title}>
      {reason && <Notice kind="plain">{t[reason]}</Notice>}
      <Form form={form} submit={t.submit}>
        <Field
          label={t.username}
          name="username"
          autocomplete="username"
          isVerbatim
          autofocus
          defaultValue={first.current.username}
          error={fields.username}
        />
        <Field
          label={t.password}
          name="password"
          type="password"
          autocomplete="current-password"
          error={fields.password}
        />
      </Form>
      <a class={styles.other} href="/console/reset">
        {t.forgotten}
      </a>
      <Provider />
    </Card>
  );
};
