import type { MemberSession } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import type { z } from 'zod';
import { ask } from '../api/client.ts';
import { ago, words } from '../locale/locale.ts';
import { Section } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import styles from './sessions.module.css';

type Session = z.infer<typeof MemberSession>;

/** The browsers that a member is signed in with, each to be signed out from here. */
export const Sessions = () => {
  const t = words.value.security;
  const [sessions, setSessions] = useState<readonly Session[]>([]);
  const [error, setError] = useState('');
  const load = () =>
    ask<Session[]>('GET', 'auth/sessions/').then(setSessions, () => setError(words.value.errors.page));
  useEffect(() => void load(), []);
  const end = (uuid: string) => {
    const before = sessions;
    setError('');
    setSessions(before.filter((one) => one.uuid !== uuid));
    ask('DELETE', `auth/sessions/${uuid}/`).catch(() => {
      setSessions(before);
      setError(words.value.errors.unexpected);
    });
  };
  return (
    <Section title={t.sessions}>
      <Notice>{error}</Notice>
      <ul class={styles.sessions}>
        {sessions.map(({ uuid, device, time_zone, seen_at, is_current }) => (
          <li key={uuid}>
            <div>
              <p>{device}</p>
              <p class={styles.more}>
                {is_current ? t.thisBrowser : t.lastSeen(ago(seen_at))}
                {time_zone !== '' && ` · ${time_zone.replaceAll('_', ' ')}`}
              </p>
            </div>
            {!is_current && (
              <Button onClick={() => end(uuid)} aria-label={`${t.endSession}: ${device}`}>
                {t.endSession}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
};
