import { Bubble, greeting } from '../view/bubble.tsx';
import type { Ui } from '../view/ui.ts';

/** The conversation until its own file has come: the greeting, and what the visitor has just said. */
export function FirstMessages({ ui }: { ui: Ui }) {
  const items = ui.conversation.items.value.filter((item) => item.kind === 'message');
  return (
    <div class="log" role="log" aria-label={ui.texts.value.chat}>
      <ol>
        {ui.host.widget.greeting_message && (
          <li>
            <Bubble ui={ui} line={greeting(ui)} />
          </li>
        )}
        {items.map(({ id, data, at, sent, refused }) => {
          const state = sent || refused ? undefined : 'sending';
          return (
            <li key={id}>
              <Bubble ui={ui} line={{ key: id, own: true, body: data.body ?? '', at, state }} />
            </li>
          );
        })}
      </ol>
    </div>
  );
}
