import type { Ui } from '../view/ui.ts';

/** Deletes all that the visitor wrote, at the server and then here; throws when the server could not be reached,
 *  and nothing is deleted then. */
export async function erase(ui: Ui): Promise<void> {
  const { conversation } = ui;
  const { store } = conversation;
  if (conversation.started.value) {
    if (!ui.thread.value) throw new Error('nothing loaded to ask the server with');
    await ui.thread.value.erase();
  }
  for (const key of store.keys('')) if (key !== 'quiet') store.remove(key);
  ui.draft.value = '';
  ui.menu.value = false;
  conversation.readStore();
}
