import type { BulkChange, BulkResult, Conversation, ConversationPatch } from '@parlor/shared';
import { ask } from '../api/client.ts';
import { countAnew } from './counts.ts';
import { inTurn } from './in-turn.ts';
import { change, known, put, underWay } from './known.ts';
import { isStale } from './store.ts';

/** What may be set, and shows at once. */
export type Wanted = Partial<ConversationPatch>;

/**
 * Shows a change at once, until the server has answered, whatever it tells meanwhile; where it refuses, what was before.
 * @throws what `request` throws
 */
export const changing = async <T>(
  uuid: string,
  fields: Partial<Conversation>,
  request: () => Promise<T>,
): Promise<T> => {
  const before = known.value.get(uuid);
  const others = () => (underWay.get(uuid) ?? []).filter((one) => one !== fields);
  underWay.set(uuid, [...others(), fields]);
  if (before) put([before]);
  const settle = () => {
    const left = others();
    if (left.length > 0) underWay.set(uuid, left);
    else underWay.delete(uuid);
  };
  try {
    const answer = await request();
    settle();
    return answer;
  } catch (error) {
    settle();
    const names = Object.keys(fields) as (keyof Conversation)[];
    if (before) change(uuid, Object.fromEntries(names.map((name) => [name, before[name]])));
    isStale(uuid);
    throw error;
  }
};

/** What a bulk change makes of one conversation. */
const fieldsOf = (
  { tags }: Conversation,
  { add_tags = [], remove_tags = [], ...fields }: Omit<BulkChange, 'uuids'>,
): Partial<Conversation> => {
  const kept = tags.filter((tag) => !remove_tags.includes(tag));
  return { ...fields, tags: [...new Set([...kept, ...add_tags])] };
};

/** Changes many conversations. @throws ApiError where none was changed */
export const setMany = async (
  all: readonly Conversation[],
  wanted: Omit<BulkChange, 'uuids'>,
): Promise<BulkResult> => {
  const uuids = all.map(({ uuid }) => uuid);
  const request = inTurn(uuids, () =>
    ask<BulkResult>('POST', 'conversations/bulk/', { uuids, ...wanted }, { keepalive: true }),
  );
  await Promise.all(all.map((one) => changing(one.uuid, fieldsOf(one, wanted), () => request)));
  const result = await request;
  const done = new Set(result.changed);
  for (const uuid of uuids) if (!done.has(uuid)) isStale(uuid);
  void countAnew();
  return result;
};

/** Changes a conversation. @throws ApiError */
export const set = async (uuid: string, wanted: Wanted): Promise<void> => {
  const request = () => ask<Conversation>('PATCH', `conversations/${uuid}/`, wanted, { keepalive: true });
  const answer = await changing(uuid, wanted, () => inTurn([uuid], request));
  const isOvertaken = answer.updated_at < (known.value.get(uuid)?.updated_at ?? '');
  put([answer]);
  // The live channel has told what somebody else has done since.
  if (isOvertaken) isStale(uuid);
  void countAnew();
};
