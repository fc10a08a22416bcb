import type { Member } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { ago, moment, words } from '../locale/locale.ts';
import { isAdmin, me } from '../session/session.ts';
import { Page } from '../shell/page.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { ChangeMember } from './change-member.tsx';
import { Invite } from './invite.tsx';
import styles from './team.module.css';

const isInvited = ({ username }: Member): boolean => username === null;

const Row = ({ member, onChange }: { member: Member; onChange(): void }) => {
  const t = words.value.team;
  const name = member.name || member.email;
  const isOwn = member.uuid === me.value?.uuid;
  const mayChange = isAdmin.value && !isOwn && (me.value?.role === 'owner' || member.role !== 'owner');
  return (
    <li class={styles.row}>
      <Avatar uuid={member.uuid} name={name} />
      <div class={styles.person}>
        <p class={styles.name}>
          {name}
          {isOwn && <span class={styles.tag}>{t.you}</span>}
          {member.is_away && <span class={styles.tag}>{words.value.shell.away}</span>}
        </p>
        <p class={styles.more}>
          {isInvited(member) ? t.invited(moment(member.invitation_expires_at ?? '')) : member.email}
        </p>
        {member.seen_at !== null && !isOwn && <p class={styles.more}>{t.seen(ago(member.seen_at))}</p>}
      </div>
      <p class={styles.role}>
        {t.roles[member.role]}
        {member.has_totp && <span class={styles.more}>{t.secondFactor}</span>}
      </p>
      {mayChange && (
        <button type="button" class={styles.change} aria-label={t.actions(name)} onClick={onChange}>
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <circle cx="4.5" cy="10" r="1.3" />
            <circle cx="10" cy="10" r="1.3" />
            <circle cx="15.5" cy="10" r="1.3" />
          </svg>
        </button>
      )}
    </li>
  );
};

/** Everybody of the account; who may invites, changes and removes. */
export const Team = () => {
  const t = words.value.team;
  const [members, setMembers] = useState<readonly Member[]>();
  const [error, setError] = useState('');
  const [isInviting, setInviting] = useState(false);
  const [changing, setChanging] = useState<Member>();
  const load = () => {
    setError('');
    // An account has at most 101 members: one page holds them.
    return ask<Member[]>('GET', 'members/?limit=200').then(
      (list) => setMembers(list.reverse()),
      () => setError(words.value.errors.page),
    );
  };
  useEffect(() => void load(), []);
  return (
    <Page
      title={t.title}
      hint={t.hint}
      action={
        isAdmin.value && (
          <Button kind="primary" onClick={() => setInviting(true)}>
            {t.invite}
          </Button>
        )
      }
    >
      {error && (
        <Notice>
          {error} <Button onClick={load}>{words.value.common.retry}</Button>
        </Notice>
      )}
      {members ? (
        <ul class={styles.list}>
          {members.map((member) => (
            <Row key={member.uuid} member={member} onChange={() => setChanging(member)} />
          ))}
        </ul>
      ) : (
        !error && <p role="status">{words.value.common.loading}</p>
      )}
      {isInviting && <Invite onClose={() => setInviting(false)} onInvited={load} />}
      {changing && <ChangeMember member={changing} onClose={() => setChanging(undefined)} onChanged={load} />}
    </Page>
  );
};
