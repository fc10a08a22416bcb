import type { Widget } from '@parlor/shared';
import { ask } from '../api/client.ts';
import { widgetWords } from '../locale/widgets.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { useForm } from '../ui/use-form.ts';
import styles from './widgets.module.css';

/** Makes one more widget, with good settings; only what tells it from the others is asked for. */
export const AddWidget = ({ onClose, onAdded }: { onClose(): void; onAdded(widget: Widget): void }) => {
  const t = widgetWords.value;
  const { onSubmit, isBusy, message, fields } = useForm(async ({ name = '', domain = '' }) => {
    onAdded(await ask<Widget>('POST', 'widgets/', { name: name.trim(), domain: domain.trim() }));
  });
  return (
    <Dialog title={t.add} onClose={onClose}>
      <form class={styles.form} onSubmit={onSubmit} noValidate>
        <p>{t.addHint}</p>
        <Field
          label={t.fields.name}
          hint={t.hints.name}
          name="name"
          autocomplete="off"
          autofocus
          error={fields.name}
        />
        <Field
          label={t.fields.domain}
          hint={t.hints.domain}
          name="domain"
          type="url"
          placeholder="https://"
          autocomplete="off"
          isVerbatim
          error={fields.domain}
        />
        <Notice>{message}</Notice>
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {t.create}
        </Button>
      </form>
    </Dialog>
  );
};
