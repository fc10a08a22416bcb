import type { Conversation, Reply } from '@parlor/shared';
import { ApiError, ask } from '../api/client.ts';
import { moment, words } from '../locale/locale.ts';
import { toast } from '../ui/toast.tsx';
import { changing, set, type Wanted } from './changes.ts';
import { inTurn } from './in-turn.ts';
import { conversationOf } from './known.ts';
import { mark, unmark } from './marked.ts';
import { nameOf } from './people.ts';

/** Says what the server refused, and why. @throws what it did not say */
export const tellFailure = (error: unknown): void => {
  if (!(error instanceof ApiError)) throw error;
  const { errors, inbox } = words.value;
  const reason = error.message || Object.values(error.fields).join(' ');
  toast(error.status === 0 ? errors.offline : `${inbox.failed} ${reason}`);
};

/** Does something at once and says so, with what takes it back; where the server refuses, it says that. */
const act = async (uuid: string, wanted: Wanted, said?: string, undo?: Wanted): Promise<void> => {
  if (said) toast(said, undo && (() => void act(uuid, undo)));
  try {
    await set(uuid, wanted);
  } catch (error) {
    tellFailure(error);
  }
};

const statusOf = ({ status, snoozed_until }: Conversation): Wanted =>
  status === 'snoozed' ? { status, snoozed_until } : { status };

/** Done; or open again, where it is that already. */
export const toggleDone = (one: Conversation): Promise<void> =>
  one.status === 'done'
    ? act(one.uuid, { status: 'open' })
    : act(one.uuid, { status: 'done' }, words.value.inbox.wasDone, statusOf(one));

export const reopen = (one: Conversation): Promise<void> => act(one.uuid, { status: 'open' });

export const snooze = (one: Conversation, until: Date): Promise<void> => {
  const snoozed_until = until.toISOString();
  const said = words.value.inbox.snoozedUntil(moment(snoozed_until));
  return act(one.uuid, { status: 'snoozed', snoozed_until }, said, statusOf(one));
};

/** @param assignee a member's uuid; null: nobody's */
export const assign = (one: Conversation, assignee: string | null): Promise<void> => {
  const t = words.value.inbox;
  const said = assignee === null ? t.wasFreed : t.wasAssigned(nameOf(assignee));
  return act(one.uuid, { assignee }, said, { assignee: one.assignee });
};

/** Gives a tag, or takes away one that it has. */
export const flipTag = ({ uuid, tags }: Conversation, tag: string): Promise<void> =>
  act(uuid, tags.includes(tag) ? { remove_tags: [tag] } : { add_tags: [tag] });

/** Has a bot answer, or no more (docs/agent.md). */
export const setBot = ({ uuid, label }: Conversation, is_bot_use: boolean): Promise<void> => {
  const fields = { is_bot_use };
  const request = () =>
    inTurn([uuid], () => ask<void>('PATCH', `rooms/${encodeURIComponent(label)}/`, fields));
  return changing(uuid, fields, request).catch(tellFailure);
};

/** What a saved reply does beside what it says (docs/contract.md#saved-replies). */
export const effectOf = ({ tags, assignee, status }: Reply): Wanted => ({
  ...(tags.length > 0 && { add_tags: tags }),
  ...(assignee !== null && { assignee }),
  ...(status !== null && { status }),
});

/** Does what a saved reply is to do. */
export const apply = (uuid: string, reply: Reply): void => {
  const wanted = effectOf(reply);
  if (conversationOf(uuid) && Object.keys(wanted).length > 0) void act(uuid, wanted);
};

/** Whether whoever is signed in has yet to read it. */
export const setUnread = async (uuid: string, is_unread: boolean): Promise<void> => {
  if (is_unread) mark(uuid);
  if (conversationOf(uuid)?.is_unread !== is_unread) await act(uuid, { is_unread });
  if (!conversationOf(uuid)?.is_unread) unmark(uuid);
};

/** Good times to put something off until, in the member's own time zone. */
export const snoozeTimes = (
  now: Date,
): { key: 'later' | 'tomorrow' | 'nextWeek' | 'nextMonth'; at: Date }[] => {
  const at = (days: number, hour: number): Date => {
    const date = new Date(now);
    date.setDate(date.getDate() + days);
    date.setHours(hour, 0, 0, 0);
    return date;
  };
  const monday = (8 - now.getDay()) % 7 || 7;
  const later = new Date(now.getTime() + 3 * 3_600_000);
  return [
    { key: 'later', at: later },
    { key: 'tomorrow', at: at(1, 9) },
    { key: 'nextWeek', at: at(monday, 9) },
    { key: 'nextMonth', at: at(30, 9) },
  ];
};
