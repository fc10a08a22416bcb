import type { NodeOf } from '@parlor/shared';
import { MAX_FAQ_ENTRIES, MAX_MESSAGE } from '@parlor/shared/limits';
import { useEffect, useState } from 'preact/hooks';
import { count } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import type { FieldsProps } from './fields-props.ts';
import styles from './form.module.css';
import { LinesField, NumberField, TextField } from './inputs.tsx';

/** A thousand fields at once would take long to draw. */
const AT_ONCE = 20;

/** The entries of a node that answers from them, and how sure it must be. */
export const FaqFields = ({ node, set, errorOf }: FieldsProps<NodeOf<'faq'>>) => {
  const t = workflowWords.value;
  const { entries } = node;
  const [shown, setShown] = useState(AT_ONCE);
  useEffect(() => setShown(AT_ONCE), [node.id]);
  const setEntry = (at: number, fields: Partial<(typeof entries)[number]>, key: string) =>
    set({ entries: entries.map((one, n) => (n === at ? { ...one, ...fields } : one)) }, `${at}.${key}`);
  const add = () => {
    set({ entries: [...entries, { questions: [t.texts.faqQuestion], answer: t.texts.faqAnswer }] }, '');
    setShown(Math.max(shown, entries.length + 1));
  };
  return (
    <>
      <fieldset class={styles.items}>
        <legend>{t.entries}</legend>
        {entries.slice(0, shown).map(({ questions, answer }, at) => (
          <fieldset key={at} class={styles.item}>
            <legend>{t.entry(at + 1)}</legend>
            <span class={styles.removeItem}>
              <IconButton
                label={t.removeEntry(at + 1)}
                icon="close"
                onClick={() => set({ entries: entries.filter((_, n) => n !== at) }, '')}
              />
            </span>
            <LinesField
              label={t.fields.questions}
              name={`questions-${at}`}
              hint={at === 0 ? t.hints.questions : undefined}
              rows={2}
              value={questions}
              error={errorOf(`entries.${at}.questions`)}
              onChange={(lines) => setEntry(at, { questions: [...lines] }, 'questions')}
            />
            <TextField
              label={t.fields.answer}
              name={`answer-${at}`}
              hint={at === 0 ? t.upTo(count(MAX_MESSAGE)) : undefined}
              rows={2}
              maxLength={MAX_MESSAGE}
              value={answer}
              error={errorOf(`entries.${at}.answer`)}
              onChange={(text) => setEntry(at, { answer: text }, 'answer')}
            />
          </fieldset>
        ))}
        <div class={styles.actions}>
          {entries.length > shown && (
            <Button onClick={() => setShown(shown + AT_ONCE)}>
              {t.moreEntries(count(Math.min(AT_ONCE, entries.length - shown)))}
            </Button>
          )}
          {entries.length < MAX_FAQ_ENTRIES && <Button onClick={add}>{t.addEntry}</Button>}
        </div>
      </fieldset>
      <NumberField
        label={t.fields.threshold}
        name="threshold"
        hint={t.hints.threshold}
        factor={100}
        value={node.threshold}
        error={errorOf('threshold')}
        onChange={(threshold) => set({ threshold }, 'threshold')}
      />
    </>
  );
};
