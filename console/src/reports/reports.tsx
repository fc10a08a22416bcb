import { useLocation } from 'preact-iso';
import { reportWords } from '../locale/reports.ts';
import { Page } from '../shell/page.tsx';
import { daysOf, daysOfRange } from '../ui/days.ts';
import { DaysFilter } from '../ui/days-filter.tsx';
import { ConversationReport } from './conversation-report.tsx';
import { LeadReport } from './lead-report.tsx';
import styles from './reports.module.css';

const PATH = '/console/reports';
const RANGE = '30';
const REPORTS = ['conversations', 'leads'] as const;

const addressOf = (query: Readonly<Record<string, string>>): string => {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return search.size === 0 ? PATH : `${PATH}?${search}`;
};

/** How visitors are served, and what comes of it. */
export const Reports = () => {
  const t = reportWords.value;
  const { query, route } = useLocation();
  const { of = '', ...asked } = query;
  const isOpen = !asked.days && !asked.from && !asked.to;
  const days = isOpen ? daysOfRange(RANGE) : daysOf(asked);
  const shown = REPORTS.find((name) => name === of) ?? 'conversations';
  return (
    <Page
      title={t.title}
      hint={t.hint}
      isWide
      action={
        <DaysFilter
          query={asked}
          fallback={RANGE}
          onChoose={(chosen) => route(addressOf({ of, ...chosen }), true)}
        />
      }
    >
      <nav class={styles.tabs} aria-label={t.title}>
        {REPORTS.map((name) => (
          <a
            key={name}
            href={addressOf({ ...asked, of: name === 'conversations' ? '' : name })}
            aria-current={name === shown ? 'page' : undefined}
          >
            {t.tabs[name]}
          </a>
        ))}
      </nav>
      {shown === 'leads' ? <LeadReport days={days} /> : <ConversationReport days={days} />}
    </Page>
  );
};
