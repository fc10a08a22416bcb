import type { NodeOf, WorkflowNode } from '@parlor/shared';
import {
  MAX_LEAD_TEMPLATE,
  MAX_MODEL_NAME,
  MAX_NODE_TEXT,
  MAX_PROMPT,
  MAX_VARIABLE,
} from '@parlor/shared/limits';
import { count } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { Select } from '../ui/select.tsx';
import { ConditionFields } from './condition-fields.tsx';
import { FaqFields } from './faq-fields.tsx';
import type { FieldsProps } from './fields-props.ts';
import { LinesField, NumberField, TextField } from './inputs.tsx';

const TextNodeFields = ({
  node,
  namesHint,
  set,
  errorOf,
  field,
}: FieldsProps & { field: 'text' | 'greeting' }) => {
  const t = workflowWords.value;
  return (
    <TextField
      label={t.fields[field]}
      name={field}
      hint={[t.upTo(count(MAX_NODE_TEXT)), namesHint].filter(Boolean).join(' ')}
      rows={4}
      maxLength={MAX_NODE_TEXT}
      value={String((node as { [name: string]: unknown })[field] ?? '')}
      error={errorOf(field)}
      onChange={(text) => set({ [field]: text } as Partial<WorkflowNode>, field)}
    />
  );
};

const QuestionFields = (props: FieldsProps<NodeOf<'question'>>) => {
  const t = workflowWords.value;
  const { node, set, errorOf } = props;
  const kind = node.validate ?? 'text';
  return (
    <>
      <TextNodeFields {...(props as unknown as FieldsProps)} field="text" />
      <TextField
        label={t.fields.save_as}
        name="save_as"
        hint={t.hints.save_as}
        maxLength={MAX_VARIABLE}
        isVerbatim
        value={node.save_as ?? ''}
        error={errorOf('save_as')}
        onChange={(text) => set({ save_as: text === '' ? null : text }, 'save_as')}
      />
      <Select
        label={t.fields.validate}
        value={kind}
        options={Object.entries(t.kinds)}
        onChoose={(value) => set({ validate: value as typeof kind }, 'validate')}
      />
      {(kind === 'choice' || (node.choices?.length ?? 0) > 0) && (
        <LinesField
          label={t.fields.choices}
          name="choices"
          hint={t.hints.choices}
          rows={4}
          value={node.choices ?? []}
          error={errorOf('choices')}
          onChange={(choices) => set({ choices: [...choices] }, 'choices')}
        />
      )}
      <TextField
        label={t.fields.retry_text}
        name="retry_text"
        hint={t.hints.retry_text}
        rows={2}
        maxLength={MAX_NODE_TEXT}
        value={node.retry_text ?? ''}
        error={errorOf('retry_text')}
        onChange={(text) => set({ retry_text: text === '' ? null : text }, 'retry_text')}
      />
      <NumberField
        label={t.fields.max_retries}
        name="max_retries"
        hint={t.hints.max_retries}
        value={node.max_retries}
        error={errorOf('max_retries')}
        onChange={(max_retries) => set({ max_retries }, 'max_retries')}
      />
    </>
  );
};

const LlmFields = ({ node, set, errorOf }: FieldsProps<NodeOf<'llm'>>) => {
  const t = workflowWords.value;
  return (
    <>
      <TextField
        label={t.fields.prompt}
        name="prompt"
        hint={t.hints.prompt}
        rows={6}
        maxLength={MAX_PROMPT}
        value={node.prompt ?? ''}
        error={errorOf('prompt')}
        onChange={(prompt) => set({ prompt }, 'prompt')}
      />
      <TextField
        label={t.fields.model}
        name="model"
        hint={t.hints.model}
        maxLength={MAX_MODEL_NAME}
        isVerbatim
        value={node.model ?? ''}
        error={errorOf('model')}
        onChange={(text) => set({ model: text === '' ? null : text }, 'model')}
      />
      <NumberField
        label={t.fields.max_tokens}
        name="max_tokens"
        hint={t.hints.max_tokens}
        value={node.max_tokens}
        error={errorOf('max_tokens')}
        onChange={(max_tokens) => set({ max_tokens }, 'max_tokens')}
      />
      <NumberField
        label={t.fields.temperature}
        name="temperature"
        hint={t.hints.temperature}
        value={node.temperature}
        error={errorOf('temperature')}
        onChange={(temperature) => set({ temperature }, 'temperature')}
      />
    </>
  );
};

const LEAD_FIELDS = ['nickname', 'email', 'phone_number'] as const;

const LeadFields = ({ node, namesHint, set, errorOf }: FieldsProps<NodeOf<'lead'>>) => {
  const t = workflowWords.value;
  return (
    <>
      {LEAD_FIELDS.map((name, at) => (
        <TextField
          key={name}
          label={t.fields[name]}
          name={name}
          hint={
            at === LEAD_FIELDS.length - 1 ? [t.hints.lead, namesHint].filter(Boolean).join(' ') : undefined
          }
          maxLength={MAX_LEAD_TEMPLATE}
          isVerbatim
          value={node.fields[name] ?? ''}
          error={errorOf(`fields.${name}`)}
          onChange={(text) => set({ fields: { ...node.fields, [name]: text } }, name)}
        />
      ))}
    </>
  );
};

/** The fields of a node beside its name and where it leads. */
export const NodeFields = (props: FieldsProps) => {
  const { node } = props;
  const of = <N extends WorkflowNode>() => props as unknown as FieldsProps<N>;
  switch (node.type) {
    case 'start':
      return <TextNodeFields {...props} field="greeting" />;
    case 'message':
    case 'handoff':
    case 'end':
      return <TextNodeFields {...props} field="text" />;
    case 'question':
      return <QuestionFields {...of<NodeOf<'question'>>()} />;
    case 'condition':
      return <ConditionFields {...of<NodeOf<'condition'>>()} />;
    case 'faq':
      return <FaqFields {...of<NodeOf<'faq'>>()} />;
    case 'llm':
      return <LlmFields {...of<NodeOf<'llm'>>()} />;
    case 'lead':
      return <LeadFields {...of<NodeOf<'lead'>>()} />;
  }
};
