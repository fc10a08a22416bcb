import { useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { useForm } from '../ui/use-form.ts';
import styles from './card.module.css';
import { Card } from './card.tsx';
import { Provider } from './provider.tsx';
import { hasEnded, isLinkUsed, signIn } from './session.ts';

/** Signing in by username and password, and by a code where there is a second factor. */
export const SignIn = () => {
  const t = words.value.signIn;
  const [asksForCode, setAsksForCode] = useState(false);
  const first = useRef({ username: '', password: '' });
  const { onSubmit, isBusy, message, fields } = useForm(async (values) => {
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
  if (asksForCode) {
    return (
      <Card key="code" title={t.codeTitle} hint={t.codeHint}>
        <form onSubmit={onSubmit} noValidate>
          <Field
            label={t.code}
            name="code"
            autocomplete="one-time-code"
            isVerbatim
            autofocus
            error={fields.code}
          />
          <Notice>{message}</Notice>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {t.submit}
          </Button>
        </form>
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
      {hasEnded.value && <Notice kind="plain">{t.ended}</Notice>}
      {isLinkUsed.value && <Notice kind="plain">{t.linkUsed}</Notice>}
      <form onSubmit={onSubmit} noValidate>
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
        <Notice>{message}</Notice>
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {t.submit}
        </Button>
      </form>
      <a class={styles.other} href="/console/reset">
        {t.forgotten}
      </a>
      <Provider />
    </Card>
  );
};
