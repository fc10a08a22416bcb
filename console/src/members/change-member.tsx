import type { Member, Role } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { useCreation } from '../api/create.ts';
import { words } from '../locale/locale.ts';
import { pictureWords } from '../locale/picture.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Theirs } from '../ui/theirs.tsx';
import { useEdited } from '../ui/use-edited.ts';
import { useForm } from '../ui/use-form.ts';
import styles from './form.module.css';
import { type Invited, InviteLink } from './invite.tsx';
import { RoleChoice } from './role-choice.tsx';

interface Props {
  member: Member;
  onClose(): void;
  onChanged(): void;
}

const Remove = ({ member, onClose, onChanged }: Props) => {
  const t = words.value.team;
  const { onSubmit, isBusy, message } = useForm(async () => {
    await ask('DELETE', `members/${member.uuid}/`);
    onChanged();
    onClose();
  });
  return (
    <form class={styles.form} onSubmit={onSubmit}>
      <p>{t.removeHint}</p>
      <Notice>{message}</Notice>
      <div class={styles.actions}>
        <Button onClick={onClose}>{words.value.common.cancel}</Button>
        <Button type="submit" kind="danger" isBusy={isBusy}>
          {words.value.common.remove}
        </Button>
      </div>
    </form>
  );
};

/** Takes a picture away that should not be shown to visitors. */
const RemovePicture = ({ member, onChanged, onClose }: Props) => {
  const { onSubmit, isBusy, message } = useForm(async () => {
    await ask('DELETE', `members/${member.uuid}/avatar/`);
    onChanged();
    onClose();
  });
  return (
    <form class={styles.form} onSubmit={onSubmit}>
      <Notice>{message}</Notice>
      <div class={styles.actions}>
        <Button type="submit" kind="danger" isBusy={isBusy}>
          {pictureWords.value.remove}
        </Button>
      </div>
    </form>
  );
};

const invitationOf = async (address: string): Promise<Member | undefined> =>
  (await ask<Member[]>('GET', 'members/?limit=200')).find(({ email }) => email === address);

/** Changes a member's role, makes a new link for whoever is still invited, and removes. */
export const ChangeMember = ({ member, onClose, onChanged }: Props) => {
  const t = words.value.team;
  const name = member.name || member.email;
  const { edit, type, take, save } = useEdited({
    uuid: member.uuid,
    path: `members/${member.uuid}/`,
    object: member,
    fieldsOf: ({ role }: Member): { role: Role } => ({ role }),
  });
  const { role } = edit.theirs;
  const [isRemoving, setRemoving] = useState(false);
  const [invited, setInvited] = useState<Invited>();
  const { create } = useCreation();
  const isInvited = member.username === null;
  const { onSubmit, isBusy, message } = useForm(async () => {
    if (isInvited) {
      // A colleague may have invited in another role since: each invitation is a member of its own.
      const { name, role: latest, widgets } = (await invitationOf(member.email)) ?? member;
      const role = edit.mine.role === member.role ? latest : edit.mine.role;
      const body = { email: member.email, name, role, ...(widgets && { widgets }) };
      setInvited(await create<Invited>('members/', body));
      onChanged();
      return;
    }
    if (!(await save())) return;
    onChanged();
    onClose();
  });
  return (
    <Dialog title={isRemoving ? t.removeTitle(name) : name} onClose={onClose}>
      {invited ? (
        <InviteLink invited={invited} />
      ) : isRemoving ? (
        <Remove member={member} onClose={onClose} onChanged={onChanged} />
      ) : (
        <>
          {member.avatar && <RemovePicture member={member} onChanged={onChanged} onClose={onClose} />}
          <form class={styles.form} onSubmit={onSubmit}>
            <RoleChoice value={edit.mine.role} onChange={(wanted) => type('role', wanted)} />
            {role && <Notice kind="plain">{words.value.edits.others}</Notice>}
            <Theirs value={role && t.roles[role]} onTake={() => take('role')} />
            <Notice>{message}</Notice>
            <div class={styles.actions}>
              <Button kind="danger" onClick={() => setRemoving(true)}>
                {words.value.common.remove}
              </Button>
              <Button type="submit" kind="primary" isBusy={isBusy}>
                {isInvited ? t.newLink : words.value.common.save}
              </Button>
            </div>
          </form>
        </>
      )}
    </Dialog>
  );
};
