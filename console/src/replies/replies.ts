import type { Conversation, Reply } from '@parlor/shared';
import { signal } from '@preact/signals';
import { askAll } from '../api/client.ts';
import { folded } from '../locale/folded.ts';
import { me } from '../session/session.ts';

/** The account's saved replies by name; undefined until they were read. */
export const replies = signal<readonly Reply[] | undefined>(undefined);

/** Reads them anew. @throws ApiError */
export const readReplies = async (): Promise<void> => {
  const all = await askAll<Reply>('replies/?limit=1000');
  replies.value = all.sort((a, b) => a.name.localeCompare(b.name));
};

/** Those whose shortcut begins with what was typed, then those whose name has it. */
export const findReplies = (typed: string): readonly Reply[] => {
  const wanted = folded(typed);
  const byShortcut = (reply: Reply) => folded(reply.shortcut).startsWith(wanted);
  const byName = (reply: Reply) => !byShortcut(reply) && folded(reply.name).includes(wanted);
  const all = replies.value ?? [];
  return [...all.filter(byShortcut), ...all.filter(byName)];
};

/** The text of a reply for one conversation (docs/contract.md#saved-replies). */
export const filled = ({ body }: Reply, { visitor }: Conversation): string =>
  body.replace(/\{\{(visitor|member)\.name\}\}/g, (_, who) =>
    who === 'visitor' ? visitor.name : (me.value?.name ?? ''),
  );
