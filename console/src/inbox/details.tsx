import type { Conversation } from '@parlor/shared';
import { language, moment, words } from '../locale/locale.ts';
import { Fact, Facts, WebAddress } from '../ui/facts.tsx';
import { Toggle } from '../ui/toggle.tsx';
import { flipTag, setBot } from './acts.ts';
import { visitorName } from './conversation-list.tsx';
import styles from './details.module.css';
import { widgets } from './people.ts';
import { RelatedTo } from './related.tsx';

const languageName = (tag: string): string => {
  try {
    return new Intl.DisplayNames(language.value, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
};

/** To that address alone, whatever a visitor has written for one: RFC 6068 takes more of them, and a text. */
const mailTo = (email: string): string => `mailto:${email.split('@').map(encodeURIComponent).join('@')}`;

/** What is known of the visitor, and of the conversation. */
export const Details = ({ one }: { one: Conversation }) => {
  const t = words.value.inbox;
  const { visitor } = one;
  const widget = widgets.value.find(({ uuid }) => uuid === one.widget);
  return (
    <aside class={styles.details} aria-label={t.about}>
      <h2 dir="auto">{visitorName(one)}</h2>
      {visitor.is_online && <p class={styles.online}>{t.online}</p>}
      <div class={styles.bot}>
        <Toggle
          label={t.botToggle}
          checked={one.is_bot_use}
          onChange={({ currentTarget }) => void setBot(one, currentTarget.checked)}
        />
      </div>
      <Facts>
        <Fact label={t.email}>{visitor.email && <a href={mailTo(visitor.email)}>{visitor.email}</a>}</Fact>
        <Fact label={t.phone}>
          {visitor.phone_number && (
            <a href={`tel:${visitor.phone_number.replace(/[^\d+]/g, '')}`}>{visitor.phone_number}</a>
          )}
        </Fact>
        <Fact label={t.page}>{visitor.page && <WebAddress {...visitor.page} />}</Fact>
        <Fact label={t.referrer}>{visitor.referrer && <WebAddress url={visitor.referrer} />}</Fact>
        <Fact label={t.device}>{visitor.device}</Fact>
        <Fact label={t.language}>{visitor.locale && languageName(visitor.locale)}</Fact>
        <Fact label={t.widget}>{widget?.name}</Fact>
        <Fact label={t.firstSeen}>{visitor.first_seen_at && moment(visitor.first_seen_at)}</Fact>
        <Fact label={t.firstResponse}>{one.first_response_at && moment(one.first_response_at)}</Fact>
        <Fact label={t.rating}>{one.rating !== null && t.ratingOf(one.rating)}</Fact>
      </Facts>
      <RelatedTo one={one} />
      {one.tags.length > 0 && (
        <>
          <h3>{t.tags}</h3>
          <ul class={styles.tags}>
            {one.tags.map((tag) => (
              <li key={tag}>
                <span dir="auto">{tag}</span>
                <button type="button" aria-label={t.removeTag(tag)} onClick={() => void flipTag(one, tag)}>
                  <svg viewBox="0 0 12 12" aria-hidden="true">
                    <path d="m3 3 6 6M9 3 3 9" />
                  </svg>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </aside>
  );
};
