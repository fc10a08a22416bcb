import type { Keyword } from '@parlor/shared';
import { MAX_KEYWORD } from '@parlor/shared/limits';
import { useRef, useState } from 'preact/hooks';
import { useCreation } from '../api/create.ts';
import { usePages } from '../api/use-pages.ts';
import { keywordWords } from '../locale/keywords.ts';
import { Page, Section } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { More } from '../ui/more.tsx';
import { Notice } from '../ui/notice.tsx';
import { remove, removed } from '../ui/removal.ts';
import { useForm } from '../ui/use-form.ts';
import styles from './keywords.module.css';
import { Mentions } from './mentions.tsx';

const pathOf = ({ uuid }: Keyword): string => `keywords/${uuid}/`;

const Chip = ({ keyword, onFailed }: { keyword: Keyword; onFailed(message: string): void }) => {
  const t = keywordWords.value;
  const text = keyword.keyword;
  const removeIt = () => {
    onFailed('');
    remove({ path: pathOf(keyword), text: t.removed(text), onFailed: () => onFailed(t.notRemoved(text)) });
  };
  return (
    <li class={styles.chip}>
      <span dir="auto">{text}</span>
      <button type="button" aria-label={t.remove(text)} onClick={removeIt}>
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <path d="m3 3 6 6M9 3 3 9" />
        </svg>
      </button>
    </li>
  );
};

const List = () => {
  const t = keywordWords.value;
  const pages = usePages<Keyword>('keywords/?limit=100');
  const [failed, setFailed] = useState('');
  const { create } = useCreation();
  const form = useRef<HTMLFormElement>(null);
  const { onSubmit, isBusy, message, fields } = useForm(async ({ keyword = '' }) => {
    pages.add(await create<Keyword>('keywords/', { keyword: keyword.trim() }));
    const input = form.current?.querySelector('input');
    // The next one may be typed by now.
    if (input?.value === keyword) input.value = '';
    input?.focus();
  });
  const shown = pages.items?.filter((keyword) => !removed.value.has(pathOf(keyword)));
  return (
    <Section title={t.list} hint={t.listHint}>
      <form ref={form} class={styles.add} onSubmit={onSubmit} noValidate>
        <Field
          label={t.keyword}
          name="keyword"
          maxLength={MAX_KEYWORD}
          autocomplete="off"
          error={fields.keyword}
        />
        <Button type="submit" isBusy={isBusy}>
          {t.add}
        </Button>
      </form>
      <Notice>{message || failed}</Notice>
      {shown && shown.length > 0 && (
        <ul class={styles.chips} aria-label={t.list}>
          {shown.map((keyword) => (
            <Chip key={keyword.uuid} keyword={keyword} onFailed={setFailed} />
          ))}
        </ul>
      )}
      {shown?.length === 0 && !pages.hasMore && <p class={styles.empty}>{t.empty}</p>}
      <More pages={pages} label={t.more} />
    </Section>
  );
};

/** The words that members hear of, and the messages that named them. */
export const Keywords = () => {
  const t = keywordWords.value;
  return (
    <Page title={t.title} hint={t.hint}>
      <List />
      <Mentions />
    </Page>
  );
};
