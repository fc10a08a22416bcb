import type { Conversation } from '@parlor/shared';
import { moment, words } from '../locale/locale.ts';
import { toast } from '../ui/toast.tsx';
import { tellFailure } from './acts.ts';
import { setMany, type Wanted } from './changes.ts';
import { nameOf } from './people.ts';
import { selectNone } from './selection.ts';

/** What takes a change of one conversation back. */
const undoOf = ({ status, snoozed_until, assignee, tags }: Conversation, change: Wanted): Wanted => {
  const added = change.add_tags?.filter((tag) => !tags.includes(tag)) ?? [];
  return {
    ...(change.status && { status, ...(status === 'snoozed' && { snoozed_until }) }),
    ...(change.assignee !== undefined && { assignee }),
    ...(added.length > 0 && { remove_tags: added }),
  };
};

const uuidsOf = (all: readonly Conversation[]): string[] => all.map(({ uuid }) => uuid);

/** Takes a change back: those together that were alike. */
const undo = (all: readonly Conversation[], change: Wanted): void => {
  const groups = new Map<string, Conversation[]>();
  for (const one of all) {
    const key = JSON.stringify(undoOf(one, change));
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  for (const [key, group] of groups) {
    if (key !== '{}') void setMany(uuidsOf(group), JSON.parse(key) as Wanted).catch(tellFailure);
  }
};

/** Changes many at once, and says so with what takes it back; of those that the server refused it says how many. */
const act = async (all: readonly Conversation[], change: Wanted, said: string): Promise<void> => {
  const t = words.value.inbox;
  selectNone();
  try {
    const { changed } = await setMany(uuidsOf(all), change);
    const done = new Set(changed);
    const failed = all.length - done.size;
    const text = failed === 0 ? said : `${said} ${t.notChanged(failed)}`;
    toast(
      text,
      done.size === 0
        ? undefined
        : () =>
            undo(
              all.filter(({ uuid }) => done.has(uuid)),
              change,
            ),
    );
  } catch (error) {
    tellFailure(error);
  }
};

export const finishAll = (all: readonly Conversation[]): Promise<void> =>
  act(all, { status: 'done' }, words.value.inbox.manyDone(all.length));

export const snoozeAll = (all: readonly Conversation[], until: Date): Promise<void> => {
  const snoozed_until = until.toISOString();
  const said = words.value.inbox.snoozedUntil(moment(snoozed_until));
  return act(all, { status: 'snoozed', snoozed_until }, said);
};

/** @param assignee a member's uuid; null: nobody's */
export const assignAll = (all: readonly Conversation[], assignee: string | null): Promise<void> => {
  const t = words.value.inbox;
  return act(all, { assignee }, assignee === null ? t.wasFreed : t.wasAssigned(nameOf(assignee)));
};

export const tagAll = (all: readonly Conversation[], tag: string): Promise<void> =>
  act(all, { add_tags: [tag] }, words.value.inbox.manyTagged(tag));
