import type { Member } from '@parlor/shared';
import { MAX_MEMBER_NAME } from '@parlor/shared/limits';
import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { me } from '../session/session.ts';
import { Page, Section } from '../shell/page.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Toggle } from '../ui/toggle.tsx';
import { useForm } from '../ui/use-form.ts';
import { OwnPicture } from './own-picture.tsx';

/** What a member changes of itself. */
export const Profile = () => {
  const t = words.value.profile;
  const member = me.value as Member;
  const [saved, setSaved] = useState(false);
  const form = useForm(async ({ name = '', is_away }) => {
    setSaved(false);
    me.value = await ask<Member>('PATCH', 'members/me/', { name: name.trim(), is_away: is_away === 'on' });
    setSaved(true);
  });
  return (
    <Page title={t.title}>
      <Section title={member.username ?? ''} hint={member.email}>
        <Form
          form={form}
          submit={words.value.common.save}
          done={saved ? words.value.common.saved : undefined}
        >
          <Field
            label={t.name}
            hint={t.nameHint}
            name="name"
            autocomplete="name"
            maxLength={MAX_MEMBER_NAME}
            defaultValue={member.name === member.username ? '' : member.name}
            error={form.fields.name}
          />
          <Toggle name="is_away" label={t.away} hint={t.awayHint} defaultChecked={member.is_away} />
        </Form>
      </Section>
      <OwnPicture />
    </Page>
  );
};
