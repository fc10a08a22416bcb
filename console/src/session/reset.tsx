import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { useForm } from '../ui/use-form.ts';
import { Card } from './card.tsx';
import { NewPassword } from './new-password.tsx';
import { loadSession } from './session.ts';
import { takeToken } from './take-token.ts';

const ToSignIn = () => <a href="/console/">{words.value.reset.toSignIn}</a>;

/** Asks for a mail; what it says afterwards is the same whoever has the address. */
const Forgotten = () => {
  const t = words.value.reset;
  const [askedFor, setAskedFor] = useState<string>();
  const form = useForm(async ({ email = '' }) => {
    await ask('POST', 'auth/password-reset', { email });
    setAskedFor(email);
  });
  if (askedFor !== undefined) {
    return (
      <Card key="asked" title={t.askedTitle}>
        <p role="status">{t.asked(askedFor)}</p>
        <ToSignIn />
      </Card>
    );
  }
  return (
    <Card key="ask" title={t.title} hint={t.hint}>
      <Form form={form} submit={t.ask}>
        <Field
          label={t.email}
          name="email"
          type="email"
          autocomplete="email"
          isVerbatim
          autofocus
          error={form.fields.email}
        />
      </Form>
      <ToSignIn />
    </Card>
  );
};

/** Takes the new password of whoever has opened the link of the mail. */
const Choose = ({ token, onAgain }: { token: string; onAgain(): void }) => {
  const t = words.value.reset;
  const [isDone, setDone] = useState(false);
  const form = useForm(async (values) => {
    await ask('POST', 'auth/password-reset/confirm', { ...values, token });
    // The session of this browser has ended with the others, if it was the same member's.
    await loadSession();
    setDone(true);
  });
  if (isDone) {
    return (
      <Card key="done" title={t.doneTitle}>
        <p role="status">{t.done}</p>
        <ToSignIn />
      </Card>
    );
  }
  return (
    <Card key="choose" title={t.chooseTitle} hint={t.chooseHint}>
      <Form form={form} error={form.fields.token} submit={t.submit}>
        <NewPassword label={t.password} label2={t.password2} fields={form.fields} autofocus />
      </Form>
      {form.fields.token && (
        <Button kind="quiet" onClick={onAgain}>
          {t.again}
        </Button>
      )}
    </Card>
  );
};

/** A new password for whoever has forgotten it: by the address, and then by the link that comes there. */
export const Reset = () => {
  const [token, setToken] = useState(takeToken);
  useEffect(() => {
    // The link may be opened in the tab that it was asked for in.
    const onLink = () => setToken((before) => takeToken() || before);
    addEventListener('hashchange', onLink);
    return () => removeEventListener('hashchange', onLink);
  }, []);
  return token === '' ? <Forgotten /> : <Choose key={token} token={token} onAgain={() => setToken('')} />;
};
