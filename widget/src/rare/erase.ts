import type { Ui } from '../chat/ui.ts';
import { type Refusal, request } from '../sending/request.ts';
import { sessionsUrl } from '../sending/session.ts';

/** Deletes all that the visitor wrote, at the server and then here; throws a `Refusal` when the server could
 *  not be reached, and nothing is deleted then. */
export async function erase(ui: Ui): Promise<void> {
  const { core } = ui;
  const { store } = core;
  const visitor = core.sessions.current()?.token;
  if (visitor) {
    const url = sessionsUrl(core.server, core.token);
    await request(url, { method: 'DELETE', visitor, signal: core.signal }).catch((refusal: Refusal) => {
      // A session that is gone has nothing left to delete.
      if (refusal.status !== 401 && refusal.status !== 404) throw refusal;
    });
  }
  for (const key of store.keys('')) if (key !== 'quiet') store.remove(key);
  ui.talk.value?.stop();
  ui.talk.value = undefined;
  ui.draft.value = '';
  ui.menu.value = false;
  core.waiting.value = '';
  core.changedElsewhere();
}
