import { useSignal } from '@preact/signals';
import type { Visitor } from '../contract/page.ts';
import { FIELDS } from '../conversation/conversation.ts';
import { Bubble, greeting } from '../view/bubble.tsx';
import type { Ui } from '../view/ui.ts';
import css from './form.css?inline';
import { problem } from './problem.ts';

export { texts } from '../locale/en/form.ts';
export { css };

/** How the browser helps with each field; and what is wrong with what the server refuses, in the visitor's language. */
const INPUTS = {
  name: { type: 'text', autocomplete: 'name', refused: 'needed' },
  email: { type: 'email', autocomplete: 'email', refused: 'badEmail' },
  phone: { type: 'tel', autocomplete: 'tel', refused: 'badPhone' },
} as const;

/** Asks for what the owner wants to know before the conversation begins. */
export function Form({ ui }: { ui: Ui }) {
  const { conversation } = ui;
  const { widget } = ui.host;
  const t = ui.texts.value;
  const refused = conversation.refusedLead.value;
  const entered = useSignal<Visitor>(conversation.visitor.value);
  const values = entered.value;
  const tried = useSignal(false);
  // What the page has told by `setVisitor` is not asked again, unless the server did not take it.
  const fields = FIELDS.filter(([name, setting, api]) =>
    refused ? widget[setting] || refused[api] : widget[setting] && !conversation.visitor.value[name],
  );

  const submit = (event: Event) => {
    event.preventDefault();
    tried.value = true;
    const bad = fields.find(([name]) => problem(name, values[name] ?? ''));
    const { form } = event.currentTarget as HTMLButtonElement;
    if (bad) form?.querySelector<HTMLElement>(`[name=${bad[0]}]`)?.focus();
    else conversation.submitForm(values);
  };

  return (
    <form class="form" noValidate>
      {widget.greeting_message && <Bubble ui={ui} line={greeting(ui)} />}
      {widget.contact_message && <p class="ask">{widget.contact_message}</p>}
      {fields.map(([field, , api, length]) => {
        const label = widget[`${field}_placeholder`];
        const { refused: bad, ...input } = INPUTS[field];
        const fault = (tried.value && problem(field, values[field] ?? '')) || (refused?.[api] && bad);
        const error = fault && t[fault];
        return (
          <div class={`field ${error ? 'bad' : ''}`} key={field}>
            <input
              id={field}
              name={field}
              {...input}
              maxLength={length}
              placeholder={label}
              required
              value={values[field] ?? ''}
              aria-invalid={!!error}
              aria-describedby={error ? `${field}-error` : undefined}
              onInput={(event) => {
                // Who fills this in will write: what sends it comes meanwhile.
                ui.modules.need('messages');
                entered.value = { ...entered.value, [field]: event.currentTarget.value };
              }}
            />
            <label for={field}>{label}</label>
            {error && (
              <p class="error" id={`${field}-error`}>
                {error}
              </p>
            )}
          </div>
        );
      })}
      {/* A sandbox without `allow-forms` lets nothing be submitted, by Enter neither; a click it lets through. */}
      <button type="submit" class="primary" onClick={submit}>
        <bdi>{widget.start_button_caption}</bdi>
      </button>
    </form>
  );
}
