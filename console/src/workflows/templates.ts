import type { WorkflowNode } from '@parlor/shared';
import { workflowWords } from '../locale/workflows.ts';

/** What a new workflow can begin with. */
export const TEMPLATES = ['greeting', 'lead', 'faq'] as const;
export type Template = (typeof TEMPLATES)[number];

/** The nodes of a template, in the console's language. */
export const nodesOf = (template: Template): WorkflowNode[] => {
  const { types, texts, templates } = workflowWords.value;
  const handoff: WorkflowNode = { id: types.handoff, type: 'handoff', text: texts.handoff };
  const start = (next: string): WorkflowNode => ({
    id: types.start,
    type: 'start',
    greeting: texts.greeting,
    next,
  });
  switch (template) {
    case 'greeting':
      return [start(handoff.id), handoff];
    case 'lead':
      return [
        start('name'),
        {
          id: 'name',
          type: 'question',
          text: texts.askName,
          save_as: 'name',
          validate: 'text',
          next: 'email',
        },
        {
          id: 'email',
          type: 'question',
          text: texts.askEmail,
          save_as: 'email',
          validate: 'email',
          retry_text: texts.emailAgain,
          on_failure: handoff.id,
          next: types.lead,
        },
        {
          id: types.lead,
          type: 'lead',
          fields: { nickname: '{{name}}', email: '{{email}}', phone_number: '' },
          next: types.end,
        },
        { id: types.end, type: 'end', text: texts.leadSaved },
        handoff,
      ];
    case 'faq':
      return [
        start(templates.faq),
        {
          id: templates.faq,
          type: 'faq',
          entries: [{ questions: [texts.faqQuestion], answer: texts.faqAnswer }],
          on_miss: handoff.id,
        },
        handoff,
      ];
  }
};
