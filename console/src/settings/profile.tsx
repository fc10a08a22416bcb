import type { Member } from '@parlor/shared';
import { MAX_MEMBER_NAME } from '@parlor/shared/limits';
import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { me } from '../session/session.ts';
import { Page, Section } from '../shell/page.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { keepEdit, keptEdit } from '../ui/kept-edit.ts';
import { Toggle } from '../ui/toggle.tsx';
import { useForm, valuesOf } from '../ui/use-form.ts';
import { OwnPicture } from './own-picture.tsx';

/** What a member changes of itself. */
export const Profile = () => {
  const t = words.value.profile;
  const member = me.value as Member;
  const [saved, setSaved] = useState(false);
  const base = { name: member.name === member.username ? '' : member.name };
  // Kept by the member in this tab: the session may end before it is saved.
  const [begun] = useState(() => keptEdit<typeof base>('profile', member.uuid)?.mine ?? base);
  const keep = (name: string) =>
    keepEdit('profile', member.uuid, name === base.name ? undefined : { base, mine: { name }, theirs: {} });
  const form = useForm(async ({ name = '', is_away }) => {
    setSaved(false);
    me.value = await ask<Member>('PATCH', 'members/me/', { name: name.trim(), is_away: is_away === 'on' });
    keepEdit('profile', member.uuid, undefined);
    setSaved(true);
  });
  return (
    <Page title={t.title}>
      <Section title={member.username ?? ''} hint={member.email}>
        <Form
          form={form}
          submit={words.value.common.save}
          done={saved ? words.value.common.saved : undefined}
          onInput={({ currentTarget }) => keep(valuesOf(currentTarget).name ?? '')}
        >
          <Field
            label={t.name}
            hint={t.nameHint}
            name="name"
            autocomplete="name"
            maxLength={MAX_MEMBER_NAME}
            defaultValue={begun.name}
            error={form.fields.name}
          />
          <Toggle name="is_away" label={t.away} hint={t.awayHint} defaultChecked={member.is_away} />
        </Form>
      </Section>
      <OwnPicture />
    </Page>
  );
};
