import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ask } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { useForm } from '../ui/use-form.ts';
import { Card } from './card.tsx';
import { NewPassword } from './new-password.tsx';
import { signIn } from './session.ts';
import { takeToken } from './take-token.ts';

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
        <NewPassword label={words.value.signIn.password} label2={t.password2} fields={fields} />
        <Notice>{message || fields.token}</Notice>
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {t.submit}
        </Button>
      </form>
    </Card>
  );
};
