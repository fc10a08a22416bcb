import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ask } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { useForm } from '../ui/use-form.ts';
import { Card } from './card.tsx';
import { signIn } from './session.ts';

/** The token behind the number sign, which from then on stands in no history any more. */
const takeToken = (): string => {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
  if (token !== '') history.replaceState(null, '', location.pathname);
  return token;
};

/** Whoever is invited chooses a username and a password, and is signed in. */
export const Invitation = () => {
  const t = words.value.invitation;
  const [token] = useState(takeToken);
  const { route } = useLocation();
  const { onSubmit, isBusy, message, fields } = useForm(async (values) => {
    const { username = '', password = '' } = values;
    await ask('POST', 'auth/accept-invitation', { ...values, token });
    await signIn({ username, password, code: '' });
    route('/console/', true);
  });
  if (token === '') {
    return (
      <Card title={t.title}>
        <Notice>{t.incomplete}</Notice>
        <a href="/console/">{t.toSignIn}</a>
      </Card>
    );
  }
  return (
    <Card title={t.title} hint={t.hint}>
      <form onSubmit={onSubmit} noValidate>
        <Field
          label={words.value.signIn.username}
          name="username"
          autocomplete="username"
          isVerbatim
          autofocus
          error={fields.username}
        />
        <Field
          label={words.value.signIn.password}
          name="password"
          type="password"
          autocomplete="new-password"
          error={fields.password}
        />
        <Field
          label={t.password2}
          name="password2"
          type="password"
          autocomplete="new-password"
          error={fields.password2}
        />
        <Notice>{message || fields.token}</Notice>
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {t.submit}
        </Button>
      </form>
    </Card>
  );
};
