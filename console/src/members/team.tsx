import type { Member } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { ask } from '../api/client.ts';
import { useReading } from '../api/use-reading.ts';
import { ago, moment, words } from '../locale/locale.ts';
import { isAdmin, me } from '../session/session.ts';
import { Page } from '../shell/page.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Listing, Rows } from '../ui/listing.tsx';
import { ChangeMember } from './change-member.tsx';
import { Invite } from './invite.tsx';
import styles from './team.module.css';

const isInvited = ({ username }: Member): boolean => username === null;

/** The founding member first; an account has at most 101 members: one page holds them. */
const readMembers = async (): Promise<Member[]> =>
  (await ask<Member[]>('GET', 'members/?limit=200')).reverse();

const Row = ({ member, onChange }: { member: Member; onChange(): void }) => {
  const t = words.value.team;
  const name = member.name || member.email;
  const isOwn = member.uuid === me.value?.uuid;
  const mayChange = isAdmin.value && !isOwn && (me.value?.role === 'owner' || member.role !== 'owner');
  return (
    <li class={styles.row}>
      <Avatar uuid={member.uuid} name={name} picture={member.avatar} />
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
        <div class={styles.change}>
          <IconButton label={t.actions(name)} icon="more" onClick={onChange} />
        </div>
      )}
    </li>
  );
};

/** Everybody of the account; who may invites, changes and removes. */
export const Team = () => {
  const t = words.value.team;
  const { value: members, error, refresh } = useReading(readMembers);
  const [isInviting, setInviting] = useState(false);
  const [changing, setChanging] = useState<Member>();
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
      <Listing items={members} error={error} onRetry={refresh} empty={undefined}>
        <Rows label={t.title}>
          {members?.map((member) => (
            <Row key={member.uuid} member={member} onChange={() => setChanging(member)} />
          ))}
        </Rows>
      </Listing>
      {isInviting && <Invite onClose={() => setInviting(false)} onInvited={refresh} />}
      {changing && (
        <ChangeMember member={changing} onClose={() => setChanging(undefined)} onChanged={refresh} />
      )}
    </Page>
  );
};
