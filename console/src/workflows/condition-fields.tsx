import type { NodeOf } from '@parlor/shared';
import { MAX_BRANCH_VALUE, MAX_BRANCHES, MAX_VARIABLE } from '@parlor/shared/limits';
import { workflowWords } from '../locale/workflows.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Select } from '../ui/select.tsx';
import type { FieldsProps } from './fields-props.ts';
import styles from './form.module.css';
import { TextField } from './inputs.tsx';

/** The branches of a condition, each with what it compares and where it leads. */
export const ConditionFields = ({ node, set, wayFor, errorOf }: FieldsProps<NodeOf<'condition'>>) => {
  const t = workflowWords.value;
  const { branches } = node;
  const setBranch = (at: number, fields: Partial<NodeOf<'condition'>['branches'][number]>, key: string) =>
    set({ branches: branches.map((one, n) => (n === at ? { ...one, ...fields } : one)) }, `${at}.${key}`);
  return (
    <fieldset class={styles.items}>
      <legend>{t.branches}</legend>
      {branches.map(({ variable, operator, value }, at) => (
        <fieldset key={at} class={styles.item}>
          <legend>{t.branch(at + 1)}</legend>
          <span class={styles.removeItem}>
            <IconButton
              label={t.removeBranch(at + 1)}
              icon="close"
              onClick={() => set({ branches: branches.filter((_, n) => n !== at) }, '')}
            />
          </span>
          <TextField
            label={t.fields.variable}
            name={`variable-${at}`}
            maxLength={MAX_VARIABLE}
            isVerbatim
            value={variable}
            error={errorOf(`branches.${at}.variable`)}
            onChange={(text) => setBranch(at, { variable: text }, 'variable')}
          />
          <div class={styles.pair}>
            <Select
              label={t.fields.operator}
              value={operator}
              options={Object.entries(t.operators)}
              onChoose={(one) => setBranch(at, { operator: one as typeof operator }, 'operator')}
            />
            {operator !== 'exists' && (
              <TextField
                label={t.fields.value}
                name={`value-${at}`}
                hint={operator === 'matches' ? t.hints.matches : undefined}
                maxLength={MAX_BRANCH_VALUE}
                isVerbatim={operator === 'matches'}
                value={String(value ?? '')}
                error={errorOf(`branches.${at}.value`)}
                onChange={(text) => setBranch(at, { value: text }, 'value')}
              />
            )}
          </div>
          {wayFor(`branches[${at}].next`, t.thenTo)}
        </fieldset>
      ))}
      {branches.length < MAX_BRANCHES && (
        <Button
          onClick={() =>
            set({ branches: [...branches, { variable: 'answer', operator: 'equals', value: '' }] }, '')
          }
        >
          {t.addBranch}
        </Button>
      )}
    </fieldset>
  );
};
