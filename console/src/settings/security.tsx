import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { lacksSecondFactor, me } from '../session/session.ts';
import { Page, Section } from '../shell/page.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Notice } from '../ui/notice.tsx';
import { useForm } from '../ui/use-form.ts';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

const Password = () => {
  const t = words.value.security;
  const [isChanged, setChanged] = useState(false);
  const form = useForm(async (values) => {
    setChanged(false);
    await ask('POST', 'auth/password', values);
    if (me.value) me.value = { ...me.value, has_password: true };
    setChanged(true);
  });
  const { fields } = form;
  // Who signs in at a provider has none, and is told what to do instead where it would be asked for.
  const hasOld = me.value?.has_password;
  return (
    <Section title={t.password}>
      <Form
        key={String(isChanged)}
        form={form}
        error={hasOld ? undefined : fields.old_password}
        submit={t.change}
        kind="plain"
        done={isChanged ? t.changed : undefined}
      >
        {hasOld && (
          <Field
            label={t.oldPassword}
            name="old_password"
            type="password"
            autocomplete="current-password"
            error={fields.old_password}
          />
        )}
        <Field
          label={t.newPassword}
          name="password"
          type="password"
          autocomplete="new-password"
          error={fields.password}
        />
        <Field
          label={t.newPassword2}
          name="password2"
          type="password"
          autocomplete="new-password"
          error={fields.password2}
        />
      </Form>
    </Section>
  );
};

/** How a member signs in, and from where it has. */
export const Security = () => (
  <Page title={words.value.security.title}>
    {lacksSecondFactor.value && <Notice kind="plain">{words.value.security.factorNeeded}</Notice>}
    <SecondFactor />
    {!lacksSecondFactor.value && (
      <>
        <Password />
        <Sessions />
      </>
    )}
  </Page>
);
