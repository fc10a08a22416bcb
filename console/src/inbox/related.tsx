import type { Conversation, SearchResult } from '@parlor/shared';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client.ts';
import { ago, moment, words } from '../locale/locale.ts';
import { Icon } from '../ui/icon.tsx';
import { preview } from './conversation-list.tsx';
import { conversationOf } from './known.ts';
import styles from './related.module.css';
import { readOne } from './store.ts';

/** Whoever goes through the list quickly asks for nothing (milliseconds). */
const PAUSE_MS = 300;

/** Leads with the address that are looked at, and conversations that are shown. */
const LEADS = 50;
const MOST = 5;

/** What else is known of an e-mail address, newest first. */
interface Related {
  /** The lead that was left in this conversation. */
  lead: string | undefined;
  /** Other conversations in which it was left. */
  others: readonly string[];
}

const NOTHING: Related = { lead: undefined, others: [] };

const hasEmail = ({ matches }: SearchResult, email: string): boolean =>
  matches.some(({ field, text }) => field === 'email' && text.toLowerCase() === email.toLowerCase());

const find = async (uuid: string, email: string): Promise<Related> => {
  const query = new URLSearchParams({ q: email, kind: 'lead', limit: String(LEADS) });
  const leads = (await ask<SearchResult[]>('GET', `search/?${query}`)).filter((lead) =>
    hasEmail(lead, email),
  );
  const rooms = leads.flatMap(({ conversation }) => conversation?.uuid ?? []);
  const others = [...new Set(rooms)].filter((room) => room !== uuid).slice(0, MOST);
  await Promise.allSettled(others.filter((other) => !conversationOf(other)).map(readOne));
  return { lead: leads.find(({ conversation }) => conversation?.uuid === uuid)?.uuid, others };
};

const useRelated = (uuid: string, email: string): Related => {
  const [related, setRelated] = useState(NOTHING);
  useEffect(() => {
    setRelated(NOTHING);
    if (email === '') return;
    let isWanted = true;
    const timer = setTimeout(() => {
      find(uuid, email).then(
        (found) => isWanted && setRelated(found),
        (error) => {
          // What stands beside a conversation may be missing.
          if (!(error instanceof ApiError)) throw error;
        },
      );
    }, PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [uuid, email]);
  return related;
};

/** The lead of a conversation, and other conversations with the same e-mail address, which nobody has verified. */
export const RelatedTo = ({ one }: { one: Conversation }) => {
  const t = words.value.inbox;
  const { lead, others } = useRelated(one.uuid, one.visitor.email);
  const known = others.flatMap((uuid) => conversationOf(uuid) ?? []);
  return (
    <>
      {lead && (
        <a class={styles.lead} href={`/console/leads?lead=${lead}`}>
          <Icon name="assign" />
          {t.lead}
        </a>
      )}
      {known.length > 0 && (
        <section class={styles.related}>
          <h3>{t.otherConversations}</h3>
          <ul>
            {known.map((other) => (
              <li key={other.uuid}>
                <a href={`/console/inbox/all/${other.uuid}`}>
                  <time dateTime={other.updated_at} title={moment(other.updated_at)}>
                    {ago(other.updated_at)}
                  </time>
                  <span dir="auto">{preview(other)}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
};
