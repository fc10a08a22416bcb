import { useState } from 'preact/hooks';
import { accountWords } from '../locale/account.ts';
import { deleteAccount, me } from '../session/session.ts';
import { Page, Section } from '../shell/page.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { useForm } from '../ui/use-form.ts';

const Deletion = ({ onClose }: { onClose(): void }) => {
  const t = accountWords.value;
  const form = useForm(({ username = '', password = '' }) =>
    deleteAccount({ username: username.trim(), password }),
  );
  const { username, has_password: hasPassword } = me.value ?? {};
  return (
    <Dialog title={t.remove} onClose={onClose}>
      <Form
        form={form}
        error={hasPassword ? undefined : form.fields.password}
        submit={t.removeAction}
        kind="danger"
      >
        <p>{t.removeHint}</p>
        <Field
          label={t.username(username ?? '')}
          name="username"
          autocomplete="off"
          isVerbatim
          autofocus
          error={form.fields.username}
        />
        {hasPassword && (
          <Field
            label={t.password}
            name="password"
            type="password"
            autocomplete="current-password"
            error={form.fields.password}
          />
        )}
      </Form>
    </Dialog>
  );
};

/** The account as a whole, for its owners. */
export const AccountPage = () => {
  const t = accountWords.value;
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Page title={t.title} hint={t.hint}>
      <Section title={t.download} hint={t.downloadHint}>
        <ButtonLink href="/api/v1/account/export/" download>
          {t.downloadAction}
        </ButtonLink>
      </Section>
      <Section title={t.remove} hint={t.removeHint}>
        <Button kind="danger" onClick={() => setDeleting(true)}>
          {t.removeAction}
        </Button>
      </Section>
      {isDeleting && <Deletion onClose={() => setDeleting(false)} />}
    </Page>
  );
};
