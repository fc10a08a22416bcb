import type { Lead } from '@parlor/shared';
import { MAX_QUERY } from '@parlor/shared/limits';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ApiError } from '../api/client.ts';
import { leadWords } from '../locale/leads.ts';
import { words } from '../locale/locale.ts';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Checklist } from '../ui/checklist.tsx';
import { daysOf } from '../ui/days.ts';
import { DaysFilter } from '../ui/days-filter.tsx';
import { Empty } from '../ui/empty.tsx';
import { Failed } from '../ui/failed.tsx';
import { Notice } from '../ui/notice.tsx';
import { remove } from '../ui/removal.ts';
import { SearchField } from '../ui/search-field.tsx';
import { COLUMNS, columns, showColumn } from './columns.ts';
import { Download } from './download.tsx';
import { listOf } from './kept-list.ts';
import { pathOf } from './lead-list.ts';
import { LeadPanel } from './lead-panel.tsx';
import { LeadTable, nameOf } from './lead-table.tsx';
import styles from './leads.module.css';

const PATH = '/console/leads';

/** Who has left word: a table, and one of them beside it to look at and change. */
export const Leads = () => {
  const t = leadWords.value;
  const location = useLocation();
  const { query, route } = location;
  // The router's types do not say it: whether the address was gone to, and not come back to.
  const isBack = !('wasPush' in location && location.wasPush);
  const [failed, setFailed] = useState('');
  const text = query.q ?? '';
  const { start, end } = daysOf(query);
  const filter = useMemo(() => ({ text, days: { start, end } }), [text, start, end]);
  const list = useMemo(() => listOf(filter), []);
  useEffect(() => list.show(filter), [filter]);
  useEffect(() => list.look(), []);
  // Whoever has looked at a lead goes on from its row.
  const opened = useRef(query.lead);
  useLayoutEffect(() => {
    if (!query.lead) document.getElementById(`lead-${opened.current}`)?.focus();
    opened.current = query.lead;
  }, [query.lead]);

  const address = (wanted: Readonly<Record<string, string>>): string => {
    const next = Object.entries({ ...query, ...wanted }).filter(([, value]) => value !== '');
    return next.length === 0 ? PATH : `${PATH}?${new URLSearchParams(next)}`;
  };
  const filterBy = (wanted: Readonly<Record<string, string>>) =>
    route(address({ ...wanted, lead: '' }), true);
  const close = () => route(address({ lead: '' }));
  const removeLead = (lead: Lead, etag: string) => {
    const name = nameOf(lead);
    setFailed('');
    close();
    // It goes on to the next one.
    document.getElementById(`lead-${lead.uuid}`)?.focus();
    remove({
      path: pathOf(lead),
      etag,
      text: t.removed(name),
      onFailed: ({ status }: ApiError) =>
        setFailed(status === 412 ? t.notRemovedChanged(name) : t.notRemoved(name)),
    });
  };

  const state = list.state.value;
  const leads = list.leads.value;
  const isEmpty = state === 'ready' && leads.length === 0 && !list.hasMore.value;
  const isFiltered = text !== '' || start !== '' || end !== '';
  return (
    <div class={`${styles.leads} ${query.lead ? styles.opened : ''}`}>
      <Page title={t.title} isWide action={<Download filter={filter} />}>
        <div class={styles.filters}>
          <SearchField
            label={t.search}
            value={text}
            maxLength={MAX_QUERY}
            onSearch={(q) => filterBy({ q })}
          />
          <DaysFilter query={query} onChoose={filterBy} />
          <Checklist
            label={t.columns}
            items={COLUMNS.map((name) => ({
              key: name,
              label: t.names[name],
              isOn: columns.value.includes(name),
              onToggle: (isOn) => showColumn(name, isOn),
            }))}
          />
        </div>
        <Notice>{failed}</Notice>
        {leads.length > 0 && (
          <LeadTable
            leads={leads}
            chosen={query.lead}
            isStale={state === 'loading'}
            hasMore={list.hasMore.value}
            of={JSON.stringify(filter)}
            isBack={isBack}
            addressOf={(lead) => address({ lead })}
          />
        )}
        {state === 'loading' && (
          <p class={leads.length > 0 ? 'hidden' : styles.loading} role="status">
            {words.value.common.loading}
          </p>
        )}
        {isEmpty && (
          <Empty title={isFiltered ? t.noMatch : t.empty} hint={isFiltered ? t.noMatchHint : t.emptyHint}>
            {isFiltered && (
              <Button onClick={() => filterBy({ q: '', days: '', from: '', to: '' })}>{t.clear}</Button>
            )}
          </Empty>
        )}
        <Failed error={state === 'failed' ? words.value.errors.page : ''} onRetry={() => list.more()} />
        {state !== 'failed' && list.hasMore.value && (
          <div class={styles.more}>
            <Button isBusy={state === 'loading'} onClick={() => list.more()}>
              {t.older}
            </Button>
          </div>
        )}
      </Page>
      {query.lead && (
        <LeadPanel key={query.lead} uuid={query.lead} list={list} onClose={close} onRemove={removeLead} />
      )}
    </div>
  );
};
