import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ask } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
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
  const form = useForm(async (values) => {
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
      <Form form={form} error={form.fields.token} submit={t.submit}>
        <Field
          label={words.value.signIn.username}
          name="username"
          autocomplete="username"
          isVerbatim
          autofocus
          error={form.fields.username}
        />
        <NewPassword label={words.value.signIn.password} label2={t.password2} fields={form.fields} />
      </Form>
    </Card>
  );
};
