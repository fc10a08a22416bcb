import type { VisitorSession } from '../contract/server.ts';
import { type Core, FIELDS } from '../conversation/conversation.ts';
import { createAlone } from '../platform/tab-lock.ts';
import { warn } from '../platform/warn.ts';
import { skewOf } from './clock-skew.ts';
import { createOutbox } from './outbox.ts';
import type { OutItem } from './queue.ts';
import { Refusal, type RequestOptions, request } from './request.ts';
import { createSessions, sessionsUrl } from './session.ts';

/** What the server answers, as far as anybody here wants to know. */
interface Acknowledgement {
  uuid: string;
  sent_at?: string;
}

export type Sender = ReturnType<typeof createSender>;

/**
 * What brings the queue to the server, and everything else that is asked of the server in the visitor's name.
 *
 * @param locale the visitor's language, which a new session tells
 * @param acknowledged told after each message that has arrived
 */
export function createSender(core: Core, locale: () => string, acknowledged: () => void) {
  const { queue, store, server, token, prefix } = core;
  const stop = new AbortController();
  const { signal } = stop;
  const alone = createAlone(prefix, signal);
  const url = sessionsUrl(server, token);
  const sessions = createSessions(store, url, locale, alone, signal);

  /** One request in the visitor's name; `path` is the API's, or a whole address. Throws a `Refusal`. */
  const ask = async <T>(path: string, options: Omit<RequestOptions, 'visitor' | 'signal'> = {}) => {
    const visitor = (await sessions.ensure()).token;
    return request<T>(new URL(path, `${server}api/v1/`).href, { ...options, visitor, signal });
  };

  const post = ({ kind, data, id }: OutItem, { uuid, label }: VisitorSession['room']) =>
    kind === 'person'
      ? ask<Acknowledgement>(`rooms/${label}/`, { method: 'PATCH', body: { is_bot_use: false } })
      : ask<Acknowledgement>(`${kind}s/`, {
          body: kind === 'lead' ? data : { ...data, room: { uuid } },
          key: id,
        });

  async function deliver(item: OutItem, again?: boolean): Promise<OutItem['sent']> {
    const session = await sessions.ensure();
    try {
      const { body } = await post(item, session.room);
      if (body.sent_at) store.set('skew', skewOf(item.at, Date.parse(body.sent_at), Date.now()));
      return { uuid: body.uuid, sent_at: body.sent_at ?? '' };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, fields } = error;
      if (status === 401) {
        sessions.drop(session);
        if (!again) return deliver(item, true);
        throw new Refusal(503);
      }
      // Bad details, perhaps the page's own by `setVisitor`, must not cost the visitor the message.
      const details = Object.keys(item.data).filter((name) => name !== 'body');
      if (status === 400 && item.kind === 'message' && !fields.body && details.length) {
        const bad = details.filter((name) => fields[name]);
        for (const name of bad.length ? bad : details) delete item.data[name];
        return deliver(item, again);
      }
      throw error;
    }
  }

  /** What the page told wrongly is forgotten; what the visitor entered, the form shows again. */
  function refuseLead({ id, byForm, refused }: OutItem): void {
    store.remove('lead');
    const bad = FIELDS.filter(([, , api]) => refused?.fields[api]);
    if (bad.length && byForm) return;
    queue.remove(id);
    if (!bad.length) return;
    warn('setVisitor was given what the server does not take:', refused?.fields);
    const left = { ...core.visitor.value };
    for (const [name] of bad) delete left[name];
    core.keepVisitor(left);
    core.queueLead();
  }

  const outbox = createOutbox({
    queue,
    deliver,
    isOnline: () => navigator.onLine,
    // Only one tab sends at a time; a widget that goes away lets the others.
    alone: (task) => alone('out', task),
    changed(state, item) {
      core.waiting.value = state;
      const lead = item?.kind === 'lead';
      if (item?.kind === 'person') queue.remove(item.id);
      if (lead && item.refused) refuseLead(item);
      core.readItems();
      if (!item) return;
      if (!item.sent) {
        core.emit('error', item.refused?.reason);
      } else if (lead) core.emit('lead', core.visitor.value);
      else if (item.kind === 'message') {
        core.emit('message:sent', { uuid: item.sent.uuid, body: item.data.body ?? '' });
        acknowledged();
      }
    },
  });
  core.onQueued = outbox.kick;
  outbox.kick();

  return {
    sessions,
    ask,
    signal,
    kick: outbox.kick,
    /** Deletes all that the visitor wrote from the server; throws a `Refusal` when that could not be done. */
    async erase(): Promise<void> {
      const visitor = sessions.current()?.token;
      if (!visitor) return;
      await request(url, { method: 'DELETE', visitor, signal }).catch((refusal: Refusal) => {
        // A session that is gone has nothing left to delete.
        if (refusal.status !== 401 && refusal.status !== 404) throw refusal;
      });
    },
    stop(): void {
      stop.abort();
      outbox.stop();
      core.onQueued = undefined;
      core.waiting.value = '';
    },
  };
}
