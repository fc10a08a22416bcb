import { effect } from '@preact/signals';
import type { Ui } from '../view/ui.ts';

/** The pause before the file of the messages, which did not load, is asked for again. */
const RETRY_MS = 5_000;

/** Follows the conversation from the first message on, until all data is deleted; gives what ends that. */
export function followThread(ui: Ui): () => void {
  const { conversation, modules, thread } = ui;
  let retry: ReturnType<typeof setTimeout>;
  let stopped = false;

  /** What was said must get out, even if the file that does that does not come at once. */
  async function keepTrying(): Promise<void> {
    clearTimeout(retry);
    if (await modules.need('messages')) return;
    if (!stopped) retry = setTimeout(keepTrying, RETRY_MS);
  }

  const undo = effect(() => {
    const messages = modules.messages.value;
    const running = thread.peek();
    if (!conversation.started.value) {
      // All data deleted, here or in another tab.
      running?.stop();
      thread.value = undefined;
    } else if (!running) {
      if (messages) thread.value = messages.createThread(ui);
      else keepTrying();
    }
  });
  return () => {
    stopped = true;
    clearTimeout(retry);
    thread.peek()?.stop();
    undo();
  };
}
