import type { Sighting } from '@parlor/shared';
import { ago, count, moment } from '../locale/locale.ts';
import { widgetWords } from '../locale/widgets.ts';
import styles from './live-state.module.css';
import { isLive, siteOf } from './use-sightings.ts';

/** In one line: where a widget is live, or that it is not. */
export const LiveLine = ({ sightings = [] }: { sightings: readonly Sighting[] | undefined }) => {
  const t = widgetWords.value.live;
  const live = sightings.filter((one) => isLive(one));
  const [first] = live;
  const [last] = sightings;
  if (first) {
    const others = live.length - 1;
    const site = siteOf(first.origin);
    return (
      <span class={`${styles.line} ${styles.live}`}>
        {others > 0 ? t.more(site, count(others)) : t.on(site)}
      </span>
    );
  }
  return (
    <span class={`${styles.line} ${last ? styles.quiet : ''}`}>
      {last ? `${t.quiet}, ${t.last(ago(last.last_seen_at))}` : t.waiting}
    </span>
  );
};

/** On which sites a widget is, since when, and when a page was last seen; or that none has been. */
export const LiveState = ({
  sightings,
  hasFailed,
  domain,
}: {
  sightings: readonly Sighting[] | undefined;
  hasFailed: boolean;
  domain: string;
}) => {
  const t = widgetWords.value.live;
  const [first] = sightings ?? [];
  return (
    <div class={styles.state}>
      <span class="hidden" role="status">
        {first && t.on(siteOf(first.origin))}
      </span>
      {hasFailed && <p>{t.failed}</p>}
      {sightings?.length === 0 && (
        <div class={styles.waiting}>
          <p class={styles.title}>{t.waiting}</p>
          <p>
            {t.waitingHint} {domain && t.onlyOn(siteOf(domain))}
          </p>
        </div>
      )}
      {sightings && sightings.length > 0 && (
        <ul aria-label={t.sites}>
          {sightings.map((one) => (
            <li key={one.uuid}>
              <span class={`${styles.line} ${isLive(one) ? styles.live : styles.quiet}`}>
                {isLive(one) ? t.here : t.quiet}
              </span>
              <a href={one.origin} target="_blank" rel="noopener noreferrer" dir="ltr">
                {siteOf(one.origin)}
              </a>
              <span class={styles.when}>
                <time dateTime={one.first_seen_at} title={moment(one.first_seen_at)}>
                  {t.since(moment(one.first_seen_at))}
                </time>
                , <time dateTime={one.last_seen_at}>{t.last(ago(one.last_seen_at))}</time>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};
