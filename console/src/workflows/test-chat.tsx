import type { WorkflowTestState, WorkflowTestTurn } from '@parlor/shared';
import { messageLength } from '@parlor/shared/lengths';
import { MAX_MESSAGE } from '@parlor/shared/limits';
import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ApiError, ask } from '../api/client.ts';
import { count, listed, words } from '../locale/locale.ts';
import { workflowWords } from '../locale/workflows.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Text } from '../ui/text.tsx';
import type { Editor } from './editor.ts';
import styles from './test-chat.module.css';

/** A language model may take its time (milliseconds). */
const PATIENCE_MS = 70_000;

/** A line of the conversation: what was said, or what became of it. */
interface Line {
  kind: 'visitor' | 'bot' | 'note' | 'fault';
  text: string;
}

const linesOf = ({ messages, leads, status, faults }: WorkflowTestTurn): Line[] => {
  const t = workflowWords.value;
  const notes = leads.map(({ nickname, email, phone_number }) =>
    t.leadWouldBe(listed([nickname, email, phone_number].filter((text) => text !== ''))),
  );
  if (status !== 'active') notes.push(status === 'ended' ? t.ended : t.handedOver);
  return [
    ...messages.map((text): Line => ({ kind: 'bot', text })),
    ...faults.map((text): Line => ({ kind: 'fault', text })),
    ...notes.map((text): Line => ({ kind: 'note', text })),
  ];
};

const whyNot = (error: ApiError): string => {
  const t = workflowWords.value;
  const { errors } = words.value;
  if (error.status === 429) return errors.throttled(error.retryAfter);
  if (error.status === 413) return t.tooLarge;
  if (error.status === 400) return error.message || t.notRun;
  return error.status === 0 ? errors.unreachable : errors.unexpected;
};

/** A conversation with the workflow as it is edited, saved or not. */
export const TestChat = ({ editor }: { editor: Editor }) => {
  const t = workflowWords.value;
  const id = useId();
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [state, setState] = useState<WorkflowTestState | null>(null);
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [text, setText] = useState('');
  const turn = useRef(0);
  const end = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);

  const take = async (said?: { state: WorkflowTestState; message: string }) => {
    const own = ++turn.current;
    setBusy(true);
    setError('');
    const { nodes } = editor.draft.value;
    try {
      const body = { ...said, ...(editor.isChanged.value && { nodes }) };
      const answer = await ask<WorkflowTestTurn>('POST', `workflows/${editor.uuid}/test/`, body, {
        patience: PATIENCE_MS,
      });
      if (own !== turn.current) return;
      setLines((before) => [...before, ...linesOf(answer)]);
      setState(answer.state);
      editor.passed.value = answer.passed;
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      if (own !== turn.current) return;
      if (failure.status === 400) editor.refuse(failure, nodes);
      setError(whyNot(failure));
      // What was said is not lost: it can be sent again.
      if (said) {
        setLines((before) => before.slice(0, -1));
        setText(said.message);
      }
    } finally {
      if (own === turn.current) setBusy(false);
    }
  };
  const begin = () => {
    setLines([]);
    setState(null);
    void take();
  };
  useEffect(() => {
    begin();
    return () => {
      turn.current++;
      editor.passed.value = [];
    };
  }, []);
  useEffect(() => end.current?.scrollTo({ top: end.current.scrollHeight }), [lines, isBusy]);

  const isTooLong = messageLength(text) > MAX_MESSAGE;
  const say = (message: string) => {
    if (message === '' || !state || isBusy || messageLength(message) > MAX_MESSAGE) return;
    setLines([...lines, { kind: 'visitor', text: message }]);
    setText('');
    void take({ state, message });
    field.current?.focus();
  };
  const waiting = editor.draft.value.nodes.find(({ id: name }) => name === state?.node);
  const choices = waiting?.type === 'question' && waiting.validate === 'choice' ? waiting.choices : [];
  const send = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    say(text.trim());
  };
  return (
    <div class={styles.chat}>
      <p class={styles.hint}>
        {t.tryHint} {editor.isChanged.value && t.tryUnsaved}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys */}
      <div ref={end} class={styles.lines} role="log" aria-label={t.conversation} tabIndex={0}>
        {lines.map(({ kind, text: line }, at) => (
          <p key={at} class={styles[kind]} dir="auto">
            {(kind === 'visitor' || kind === 'bot') && (
              <span class="hidden">{kind === 'visitor' ? t.you : t.bot}: </span>
            )}
            <Text text={line} />
          </p>
        ))}
        {isBusy && (
          <p class={styles.waiting}>
            <span class="hidden">{words.value.common.loading}</span>
            <i />
            <i />
            <i />
          </p>
        )}
      </div>
      <Notice>{isTooLong ? words.value.errors.tooLong(count(MAX_MESSAGE)) : error}</Notice>
      {choices && choices.length > 0 && !isBusy && (
        <div class={styles.choices}>
          {choices.map((choice) => (
            <Button key={choice} onClick={() => say(choice)}>
              {choice}
            </Button>
          ))}
        </div>
      )}
      <form class={styles.form} onSubmit={send}>
        <label class="hidden" for={id}>
          {t.say}
        </label>
        <input
          ref={field}
          id={id}
          autocomplete="off"
          dir="auto"
          placeholder={state ? t.say : ''}
          disabled={!state && !isBusy}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button type="submit" kind="primary" isBusy={isBusy && lines.length > 0}>
          {t.send}
        </Button>
      </form>
      <div class={styles.foot}>
        <Button onClick={begin}>{t.restart}</Button>
        {state && <p>{t.waits(state.node)}</p>}
      </div>
      {state && state.variables.length > 0 && (
        <details class={styles.known}>
          <summary>{t.known}</summary>
          <dl>
            {state.variables.map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd dir="auto">{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  );
};
