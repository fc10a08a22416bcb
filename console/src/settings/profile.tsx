import type { Member } from '@parlor/shared';
import { MAX_MEMBER_NAME } from '@parlor/shared/limits';
import { useState } from 'preact/hooks';
import { words } from '../locale/locale.ts';
import { me } from '../session/session.ts';
import { Page, Section } from '../shell/page.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Theirs } from '../ui/theirs.tsx';
import { Toggle } from '../ui/toggle.tsx';
import { useEdited } from '../ui/use-edited.ts';
import { useForm } from '../ui/use-form.ts';
import { OwnPicture } from './own-picture.tsx';

/** What a member changes of itself. */
export const Profile = () => {
  const t = words.value.profile;
  const member = me.value as Member;
  const [saved, setSaved] = useState(false);
  // Kept by the member in this tab: the session may end before it is saved.
  const { edit, type, take, save } = useEdited({
    kind: 'profile',
    uuid: member.uuid,
    path: 'members/me/',
    object: member,
    fieldsOf: ({ name, username, is_away }: Member) => ({ name: name === username ? '' : name, is_away }),
    bodyOf: ({ name, ...rest }) => ({ ...rest, ...(name !== undefined && { name: name.trim() }) }),
  });
  const form = useForm(async () => {
    setSaved(false);
    const now = await save();
    if (!now) return;
    me.value = now;
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
            value={edit.mine.name}
            error={form.fields.name}
            onInput={({ currentTarget }) => type('name', currentTarget.value)}
          >
            <Theirs value={edit.theirs.name} onTake={() => take('name')} />
          </Field>
          <Toggle
            name="is_away"
            label={t.away}
            hint={t.awayHint}
            checked={edit.mine.is_away}
            onChange={({ currentTarget }) => type('is_away', currentTarget.checked)}
          />
        </Form>
      </Section>
      <OwnPicture />
    </Page>
  );
};
