import type { KeywordNotification } from '@parlor/shared';
import { useEffect } from 'preact/hooks';
import { listen } from '../api/live.ts';
import { usePages } from '../api/use-pages.ts';
import { keywordWords } from '../locale/keywords.ts';
import { ago, moment } from '../locale/locale.ts';
import { Section } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { More } from '../ui/more.tsx';
import { Text } from '../ui/text.tsx';
import styles from './keywords.module.css';

const FIRST = 'keyword_notifications/?limit=20';

const Mention = ({ mention }: { mention: KeywordNotification }) => {
  const t = keywordWords.value;
  const { customer_request, keywords, keyword_count, nickname, email, room, created_at, sent_at } = mention;
  return (
    <li class={styles.mention}>
      <p class={styles.who}>
        <b dir="auto">{nickname || email || t.visitor}</b>
        <time dateTime={created_at} title={moment(created_at)}>
          {ago(created_at)}
        </time>
      </p>
      <p class={styles.text} dir="auto">
        {customer_request ? <Text text={customer_request} /> : <i>{t.gone}</i>}
      </p>
      <p class={styles.what}>
        {keywords.map((keyword) => (
          <span key={keyword} class={styles.tag} dir="auto">
            {keyword}
          </span>
        ))}
        {keyword_count > keywords.length && <span>{t.unnamed(keyword_count - keywords.length)}</span>}
        {room && <a href={`/console/inbox/all/${room.uuid}`}>{t.open}</a>}
        {sent_at && <span class={styles.sent}>{t.sent(moment(sent_at))}</span>}
      </p>
    </li>
  );
};

/** The messages that named a keyword. */
export const Mentions = () => {
  const t = keywordWords.value;
  const pages = usePages<KeywordNotification>(FIRST);
  const { items, isBusy, hasMore, refresh } = pages;
  // The channel tells of no mentions: after a gap they are read again.
  useEffect(() => listen({ onFrame: () => undefined, onResync: refresh }), []);
  return (
    <Section title={t.mentions} hint={t.mentionsHint}>
      <Button isBusy={isBusy} onClick={refresh}>
        {t.refresh}
      </Button>
      {items && items.length > 0 && (
        <ul class={styles.mentions} aria-label={t.mentions}>
          {items.map((mention) => (
            <Mention key={mention.uuid} mention={mention} />
          ))}
        </ul>
      )}
      {items?.length === 0 && !hasMore && (
        <p class={styles.empty}>
          <b>{t.noMentions}</b> {t.noMentionsHint}
        </p>
      )}
      <More pages={pages} label={t.older} />
    </Section>
  );
};
