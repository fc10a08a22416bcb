import type { Conversation } from '@parlor/shared';
import { signal } from '@preact/signals';

/** Every conversation that is known, by uuid. It is never changed: another one takes its place. */
export const known = signal<ReadonlyMap<string, Conversation>>(new Map());

export const conversationOf = (uuid: string): Conversation | undefined => known.value.get(uuid);

/** What of conversations is being changed. */
export const underWay = new Map<string, readonly Partial<Conversation>[]>();

/** Takes conversations in as they are, but for what is being changed. */
export const put = (conversations: readonly Conversation[]): void => {
  const next = new Map(known.value);
  for (const one of conversations) {
    next.set(one.uuid, Object.assign({}, one, ...(underWay.get(one.uuid) ?? [])));
  }
  known.value = next;
};

/** What was read may be older than what the live channel has told meanwhile. */
export const putRead = (conversations: readonly Conversation[]): void =>
  put(conversations.filter((one) => one.updated_at >= (known.value.get(one.uuid)?.updated_at ?? '')));

export const change = (uuid: string, fields: Partial<Conversation>): void => {
  const current = known.value.get(uuid);
  if (current) put([{ ...current, ...fields }]);
};

export const remove = (uuid: string): void => {
  const next = new Map(known.value);
  if (next.delete(uuid)) known.value = next;
};
