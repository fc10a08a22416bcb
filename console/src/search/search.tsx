import type { SearchKind, SearchResult } from '@parlor/shared';
import { MAX_QUERY } from '@parlor/shared/limits';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiError } from '../api/client.ts';
import { askFilledPage } from '../api/filled-page.ts';
import { conversationOf } from '../inbox/known.ts';
import { readOne } from '../inbox/store.ts';
import { words } from '../locale/locale.ts';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Notice } from '../ui/notice.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Result } from './result.tsx';
import styles from './search.module.css';

const KINDS = ['conversation', 'message', 'note', 'lead'] as const satisfies readonly SearchKind[];

/** Conversations whose visitors are not known yet are read this many at a time. */
const AT_ONCE = 5;

/** Reads whose conversations they are; what can't be read is shown without a name. */
const readVisitors = async (results: readonly SearchResult[]): Promise<void> => {
  const rooms = new Set(results.flatMap(({ conversation }) => conversation?.uuid ?? []));
  const unknown = [...rooms].filter((uuid) => !conversationOf(uuid));
  for (let from = 0; from < unknown.length; from += AT_ONCE) {
    await Promise.allSettled(unknown.slice(from, from + AT_ONCE).map(readOne));
  }
};

interface Found {
  results: readonly SearchResult[];
  /** Where what was not shown or not looked at yet is. */
  next: string | undefined;
}

const NOTHING: Found = { results: [], next: undefined };

/** What is found for the words of the address, read on by `more`. */
const useSearch = (q: string, kind: SearchKind | undefined) => {
  const t = words.value;
  const [found, setFound] = useState(NOTHING);
  const [isBusy, setBusy] = useState(false);
  const [message, setMessage] = useState('');
  const latest = useRef(0);

  const read = async (path: string, before: readonly SearchResult[]): Promise<void> => {
    const own = ++latest.current;
    setBusy(true);
    setMessage('');
    try {
      const { items, next } = await askFilledPage<SearchResult>(
        path,
        undefined,
        () => own === latest.current,
      );
      await readVisitors(items);
      if (own === latest.current) setFound({ results: [...before, ...items], next });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (own !== latest.current) return;
      setMessage(error.fields.q ?? (error.message || t.errors.page));
    }
    if (own === latest.current) setBusy(false);
  };

  useEffect(() => {
    latest.current++;
    setMessage('');
    setBusy(false);
    setFound(NOTHING);
    if (q === '') return;
    void read(`search/?${new URLSearchParams({ q, ...(kind && { kind }) })}`, []);
  }, [q, kind]);

  const more = () => {
    if (found.next !== undefined) void read(found.next, found.results);
  };
  return { ...found, isBusy, message, more };
};

/** Finds conversations, messages and leads by their words. */
export const Search = () => {
  const t = words.value.search;
  const { query, route } = useLocation();
  const q = query.q ?? '';
  const kind = KINDS.find((known) => known === query.kind);
  const { results, next, isBusy, message, more } = useSearch(q, kind);
  const go = (changed: { q?: string; kind?: SearchKind | '' }) => {
    const wanted = { q, kind: kind ?? '', ...changed };
    const set = Object.entries(wanted).filter(([, value]) => value !== '');
    route(`/console/search?${new URLSearchParams(set)}`, true);
  };
  return (
    <Page title={t.title}>
      <div class={styles.asked}>
        <SearchField
          label={t.label}
          value={q}
          maxLength={MAX_QUERY}
          isBegin
          onSearch={(text) => go({ q: text })}
        />
        <fieldset class={styles.kinds}>
          <legend class="hidden">{t.kinds}</legend>
          {(['', ...KINDS] as const).map((one) => (
            <button
              type="button"
              key={one}
              aria-pressed={one === (kind ?? '')}
              onClick={() => go({ kind: one })}
            >
              {one === '' ? t.everything : t.kindsOf[one]}
            </button>
          ))}
        </fieldset>
      </div>
      <Notice>{message}</Notice>
      <p class="hidden" role="status">
        {isBusy ? words.value.common.loading : q !== '' && t.found(results.length)}
      </p>
      {q === '' && <Empty title={t.begin} hint={t.beginHint} />}
      {q !== '' && !isBusy && !message && results.length === 0 && next === undefined && (
        <Empty title={t.nothing} hint={t.nothingHint} />
      )}
      {results.length > 0 && (
        <ul class={styles.results}>
          {results.map((result) => (
            <Result key={`${result.kind} ${result.uuid}`} result={result} />
          ))}
        </ul>
      )}
      {next !== undefined && (
        <div>
          <Button isBusy={isBusy} onClick={more}>
            {t.more}
          </Button>
        </div>
      )}
    </Page>
  );
};
