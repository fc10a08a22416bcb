import type { Line } from '../conversation/timeline.ts';
import type { Ui } from '../view/ui.ts';

/** Under a message that was refused for good: why, and what one can do. */
export function Failure({ ui, line }: { ui: Ui; line: Line }) {
  const t = ui.texts.value;
  const again = (edit: boolean) => {
    ui.conversation.queue.remove(line.key);
    ui.conversation.readItems();
    if (edit) ui.draft.value = line.body;
    else ui.conversation.send(line.body);
  };
  return (
    <div class="failure">
      {line.reason && <p>{line.reason}</p>}
      <button type="button" onClick={() => again(true)}>
        {t.edit}
      </button>
      <button type="button" onClick={() => again(false)}>
        {t.retry}
      </button>
    </div>
  );
}
