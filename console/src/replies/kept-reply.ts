import type { Reply } from '@parlor/shared';
import { hasChanges, rebase } from '../ui/edit.ts';
import { keepEdit, keptEdit } from '../ui/kept-edit.ts';

/** A saved reply as it stands in the form's fields. */
type Fields = Record<'name' | 'shortcut' | 'body' | 'tags' | 'assignee' | 'status', string>;

const KIND = 'reply';

/** A new one has no uuid yet. */
const uuidOf = (reply: Reply | undefined): string => reply?.uuid ?? 'new';

const fieldsOf = (reply: Reply | undefined): Fields => ({
  name: reply?.name ?? '',
  shortcut: reply?.shortcut ?? '',
  body: reply?.body ?? '',
  tags: reply?.tags.join(', ') ?? '',
  assignee: reply?.assignee ?? '',
  status: reply?.status ?? '',
});

/** What the form begins with: what was written and not saved, with what others have changed since. */
export const beginReply = (reply: Reply | undefined): Fields => {
  const kept = keptEdit<Fields>(KIND, uuidOf(reply));
  const fields = fieldsOf(reply);
  return kept ? rebase(kept, fields).mine : fields;
};

/** Keeps what is written, by the member in this tab: the session may end before it is saved, or the page be read anew. */
export const keepReply = (reply: Reply | undefined, values: Readonly<Record<string, string>>): void => {
  const base = fieldsOf(reply);
  const edit = { base, mine: { ...base, ...values }, theirs: {} };
  keepEdit(KIND, uuidOf(reply), hasChanges(edit) ? edit : undefined);
};

export const forgetReply = (reply: Reply | undefined): void => keepEdit(KIND, uuidOf(reply), undefined);

/** Which one was being written and was neither saved nor closed; null: a new one. */
export const keptReply = (replies: readonly Reply[]): Reply | null | undefined =>
  keptEdit(KIND, 'new') ? null : replies.find(({ uuid }) => keptEdit(KIND, uuid));
