import type { Workflow } from '@parlor/shared';
import { MAX_WORKFLOW_NAME } from '@parlor/shared/limits';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useCreation } from '../api/create.ts';
import { workflowWords } from '../locale/workflows.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { RadioCards } from '../ui/radio-cards.tsx';
import { useForm } from '../ui/use-form.ts';
import { nodesOf, TEMPLATES, type Template } from './templates.ts';

/** Makes a workflow of a template, and opens it. */
export const CreateWorkflow = ({ onClose }: { onClose(): void }) => {
  const t = workflowWords.value;
  const { route } = useLocation();
  const [template, setTemplate] = useState<Template>('greeting');
  const { create } = useCreation();
  const form = useForm(async ({ name = '' }) => {
    // It takes no visitors by itself: that is decided when it is published.
    const body = { name: name.trim() || t.templates[template], nodes: nodesOf(template) };
    const { uuid } = await create<Workflow>('workflows/', body);
    onClose();
    route(`/console/workflows/${uuid}`);
  });
  return (
    <Dialog title={t.create} onClose={onClose}>
      <Form form={form} submit={t.make}>
        <Field
          label={t.name}
          hint={t.nameHint}
          name="name"
          autocomplete="off"
          maxLength={MAX_WORKFLOW_NAME}
          autofocus
          error={form.fields.name}
        />
        <RadioCards
          legend={t.template}
          options={TEMPLATES.map((one) => [one, t.templates[one], t.templates[`${one}Hint`]])}
          value={template}
          onChoose={(one) => setTemplate(one)}
        />
      </Form>
    </Dialog>
  );
};
