import type { Workflow } from '@parlor/shared';
import { MAX_WORKFLOW_NAME } from '@parlor/shared/limits';
import { useId, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ask } from '../api/client.ts';
import { workflowWords } from '../locale/workflows.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { useForm } from '../ui/use-form.ts';
import styles from './create-workflow.module.css';
import { nodesOf, TEMPLATES, type Template } from './templates.ts';

/** Makes a workflow of a template, and opens it. */
export const CreateWorkflow = ({ onClose }: { onClose(): void }) => {
  const t = workflowWords.value;
  const id = useId();
  const { route } = useLocation();
  const [template, setTemplate] = useState<Template>('greeting');
  const { onSubmit, isBusy, message, fields } = useForm(async ({ name = '' }) => {
    // It takes no visitors by itself: that is decided when it is published.
    const body = { name: name.trim() || t.templates[template], nodes: nodesOf(template) };
    const { uuid } = await ask<Workflow>('POST', 'workflows/', body);
    onClose();
    route(`/console/workflows/${uuid}`);
  });
  return (
    <Dialog title={t.create} onClose={onClose}>
      <form class={styles.form} onSubmit={onSubmit} noValidate>
        <Field
          label={t.name}
          hint={t.nameHint}
          name="name"
          autocomplete="off"
          maxLength={MAX_WORKFLOW_NAME}
          autofocus
          error={fields.name}
        />
        <fieldset class={styles.templates}>
          <legend>{t.template}</legend>
          {TEMPLATES.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name={id}
                checked={template === one}
                aria-describedby={`${id}-${one}`}
                onChange={() => setTemplate(one)}
              />
              <span>
                {t.templates[one]}
                <small id={`${id}-${one}`}>{t.templates[`${one}Hint`]}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <Notice>{message}</Notice>
        <div>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {t.make}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
