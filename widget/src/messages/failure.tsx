import type { Line } from '../view/bubble.tsx';
import type { Ui } from '../view/ui.ts';

/** Under a message that was refused for good: why, and what one can do. */
export function Failure({ ui, line }: { ui: Ui; line: Line }) {
  const t = ui.texts.value;
  const again = (edit: boolean) => {
    ui.core.queue.remove(line.key);
    ui.core.readItems();
    if (edit) ui.draft.value = line.body;
    else ui.core.say(line.body);
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
