import type { NewReply, Reply } from '@parlor/shared';
import { useState } from 'preact/hooks';
import { type Edit, editOf, hasChanges } from '../ui/edit.ts';
import { keepEdit, keptEdit } from '../ui/kept-edit.ts';
import { useEdited } from '../ui/use-edited.ts';

/** A saved reply as it stands in the form's fields. */
export type Fields = Record<'name' | 'shortcut' | 'body' | 'tags' | 'assignee' | 'status', string>;

const KIND = 'reply';

/** A new one has no uuid yet. */
const NEW = 'new';

const BLANK: Fields = { name: '', shortcut: '', body: '', tags: '', assignee: '', status: '' };

const fieldsOf = (reply: Reply): Fields => ({
  name: reply.name,
  shortcut: reply.shortcut,
  body: reply.body,
  tags: reply.tags.join(', '),
  assignee: reply.assignee ?? '',
  status: reply.status ?? '',
});

const asTags = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

/** What is sent of fields. */
export const asReply = ({ name, shortcut, body, tags, assignee, status }: Partial<Fields>) => ({
  ...(name !== undefined && { name: name.trim() }),
  ...(shortcut !== undefined && { shortcut: shortcut.trim().replace(/^\//, '') }),
  ...(body !== undefined && { body }),
  ...(tags !== undefined && { tags: asTags(tags) }),
  ...(assignee !== undefined && { assignee: assignee || null }),
  ...(status !== undefined && { status: (status || null) as NewReply['status'] }),
});

/** What is written of a new reply, kept by the member in this tab: the session may end before it is saved. */
export const useNewReply = () => {
  const [edit, setEdit] = useState(() => keptEdit<Fields>(KIND, NEW) ?? editOf(BLANK));
  const write = (next: Edit<Fields>) => {
    setEdit(next);
    keepEdit(KIND, NEW, hasChanges(next) ? next : undefined);
  };
  return {
    edit,
    type: (name: keyof Fields, value: string) => write({ ...edit, mine: { ...edit.mine, [name]: value } }),
    forget: () => keepEdit(KIND, NEW, undefined),
  };
};

/** What is written of a reply that is there, kept likewise. */
export const useReply = (reply: Reply) =>
  useEdited<Reply, Fields>({
    kind: KIND,
    uuid: reply.uuid,
    path: `replies/${reply.uuid}/`,
    object: reply,
    fieldsOf,
    bodyOf: asReply,
  });

/** Which one was being written and was neither saved nor closed; null: a new one. */
export const keptReply = (replies: readonly Reply[]): Reply | null | undefined =>
  keptEdit(KIND, NEW) ? null : replies.find(({ uuid }) => keptEdit(KIND, uuid));
