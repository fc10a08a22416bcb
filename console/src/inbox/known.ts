import type { BulkChange, Conversation } from '@parlor/shared';
import { signal } from '@preact/signals';

/** Every conversation that is known, by uuid. It is never changed: another one takes its place. */
export const known = signal<ReadonlyMap<string, Conversation>>(new Map());

export const conversationOf = (uuid: string): Conversation | undefined => known.value.get(uuid);

/** What is being changed of a conversation: fields as they will be, and tags that come and go beside those of others. */
export type Change = Partial<Conversation> & Pick<BulkChange, 'add_tags' | 'remove_tags'>;

/** What of conversations is being changed. */
export const underWay = new Map<string, readonly Change[]>();

/** A conversation with a change. */
const withChange = (
  one: Conversation,
  { add_tags = [], remove_tags = [], ...fields }: Change,
): Conversation => {
  const next = { ...one, ...fields } as Conversation;
  const kept = next.tags.filter((tag) => !remove_tags.includes(tag));
  return { ...next, tags: [...new Set([...kept, ...add_tags])] };
};

/** What takes a change back, of which others may have changed tags since. @param before the conversation as it was */
export const undoOf = (
  before: Conversation,
  { add_tags = [], remove_tags = [], ...fields }: Change,
): Change => {
  const names = Object.keys(fields) as (keyof Conversation)[];
  return {
    ...Object.fromEntries(names.map((name) => [name, before[name]])),
    add_tags: remove_tags.filter((tag) => before.tags.includes(tag)),
    remove_tags: add_tags.filter((tag) => !before.tags.includes(tag)),
  };
};

/** Takes conversations in as they are, but for what is being changed. */
export const put = (conversations: readonly Conversation[]): void => {
  const next = new Map(known.value);
  for (const one of conversations) {
    next.set(one.uuid, (underWay.get(one.uuid) ?? []).reduce(withChange, one));
  }
  known.value = next;
};

/** What was deleted while something was being read, whose answer may still have it. */
const gone = new Set<string>();
/** What changed meanwhile and was not known yet, and when: an answer may have it as it was before. */
const missed = new Map<string, string>();
let reading = 0;

/** Reads; what was deleted meanwhile is in no answer. @throws what `read` throws */
export const readingAlong = async <T>(read: () => Promise<T>): Promise<T> => {
  reading++;
  try {
    return await read();
  } finally {
    reading--;
    if (reading === 0) {
      gone.clear();
      missed.clear();
    }
  }
};

/** Whether a conversation was deleted meanwhile. To be called within `readingAlong`. */
export const isGone = (uuid: string): boolean => gone.has(uuid);

/** What was read may be older than what the live channel has told meanwhile. To be called within `readingAlong`. */
export const putRead = (conversations: readonly Conversation[]): void =>
  put(
    conversations.filter(
      ({ uuid, updated_at }) => !isGone(uuid) && updated_at >= (known.value.get(uuid)?.updated_at ?? ''),
    ),
  );

/** Something was told of a conversation that is not known and is not read for that. @param at when it changed */
export const miss = (uuid: string, at: string): void => {
  if (reading > 0 && at > (missed.get(uuid) ?? '')) missed.set(uuid, at);
};

/** A conversation is about to be read: its answer has whatever was told of it until now. */
export const isAsked = (uuid: string): void => {
  missed.delete(uuid);
};

/** Whether a conversation has changed since it was read. To be called within `readingAlong`. */
export const isMissed = ({ uuid, updated_at }: Conversation): boolean =>
  updated_at < (missed.get(uuid) ?? '');

export const change = (uuid: string, fields: Change): void => {
  const current = known.value.get(uuid);
  if (current) put([withChange(current, fields)]);
};

/** Forgets a conversation that was deleted. */
export const remove = (uuid: string): void => {
  if (reading > 0) gone.add(uuid);
  const next = new Map(known.value);
  if (next.delete(uuid)) known.value = next;
};

/** A conversation that was deleted has begun anew: its visitor has written once more. */
export const returned = (uuid: string): void => {
  gone.delete(uuid);
};
