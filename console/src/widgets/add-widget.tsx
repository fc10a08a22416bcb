import type { Widget } from '@parlor/shared';
import { useCreation } from '../api/create.ts';
import { widgetWords } from '../locale/widgets.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { useForm } from '../ui/use-form.ts';

/** Makes one more widget, with good settings; only what tells it from the others is asked for. */
export const AddWidget = ({ onClose, onAdded }: { onClose(): void; onAdded(widget: Widget): void }) => {
  const t = widgetWords.value;
  const { create } = useCreation();
  const form = useForm(async ({ name = '', domain = '' }) => {
    onAdded(await create<Widget>('widgets/', { name: name.trim(), domain: domain.trim() }));
  });
  return (
    <Dialog title={t.add} onClose={onClose}>
      <Form form={form} submit={t.create}>
        <p>{t.addHint}</p>
        <Field
          label={t.fields.name}
          hint={t.hints.name}
          name="name"
          autocomplete="off"
          autofocus
          error={form.fields.name}
        />
        <Field
          label={t.fields.domain}
          hint={t.hints.domain}
          name="domain"
          type="url"
          placeholder="https://"
          autocomplete="off"
          isVerbatim
          error={form.fields.domain}
        />
      </Form>
    </Dialog>
  );
};
