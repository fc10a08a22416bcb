import type { Member, Role } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { useCreation } from '../api/create.ts';
import { words } from '../locale/locale.ts';
import { Copyable } from '../ui/copyable.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { useForm } from '../ui/use-form.ts';
import styles from './form.module.css';
import { RoleChoice } from './role-choice.tsx';

/** An invitation as it was answered, with its link. */
export type Invited = Member & { invite_url: string; is_mailed: boolean };

/** The link of an invitation, which is shown this once. */
export const InviteLink = ({ invited: { email, invite_url, is_mailed } }: { invited: Invited }) => (
  <div class={styles.form}>
    <Copyable label={words.value.team.linkTitle} text={invite_url} />
    <p class={styles.hint}>
      {is_mailed && `${words.value.team.mailed(email)} `}
      {words.value.team.linkHint(email)}
    </p>
  </div>
);

/** Invites somebody by e-mail address, and shows the link. */
export const Invite = ({ onClose, onInvited }: { onClose(): void; onInvited(): void }) => {
  const t = words.value.team;
  const [role, setRole] = useState<Role>('operator');
  const [invited, setInvited] = useState<Invited>();
  const { create } = useCreation();
  const form = useForm(async ({ email = '', name = '' }) => {
    setInvited(await create<Invited>('members/', { email: email.trim(), name: name.trim(), role }));
    onInvited();
  });
  return (
    <Dialog title={t.inviteTitle} onClose={onClose}>
      {invited ? (
        <InviteLink invited={invited} />
      ) : (
        <Form form={form} submit={t.createLink}>
          <Field
            label={t.email}
            name="email"
            type="email"
            autocomplete="off"
            autofocus
            error={form.fields.email}
          />
          <Field label={t.name} note={t.optional} name="name" autocomplete="off" error={form.fields.name} />
          <RoleChoice value={role} onChange={setRole} />
        </Form>
      )}
    </Dialog>
  );
};
