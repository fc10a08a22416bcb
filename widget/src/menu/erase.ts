import type { Ui } from '../view/ui.ts';

/** Deletes all that the visitor wrote, at the server and then here; throws when the server could not be reached,
 *  and nothing is deleted then. */
export async function erase(ui: Ui): Promise<void> {
  const { core } = ui;
  const { store } = core;
  if (core.started.value) {
    if (!ui.talk.value) throw new Error('nothing loaded to ask the server with');
    await ui.talk.value.sender.erase();
  }
  for (const key of store.keys('')) if (key !== 'quiet') store.remove(key);
  ui.draft.value = '';
  ui.menu.value = false;
  core.readStore();
}
