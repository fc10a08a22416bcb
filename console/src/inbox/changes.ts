import type { BulkChange, BulkResult, Conversation } from '@parlor/shared';
import { MAX_TAGS } from '@parlor/shared/limits';
import { ApiError, ask } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { countAnew } from './counts.ts';
import { inTurn } from './in-turn.ts';
import { type Change, change, isGone, known, put, readingAlong, underWay, undoOf } from './known.ts';
import { isStale } from './store.ts';

/** What may be set, and shows at once. Of tags it says which ones: those that a colleague gives meanwhile stay. */
export type Wanted = Omit<BulkChange, 'uuids'>;

/**
 * Shows a change at once, until the server has answered, whatever it tells meanwhile; where it refuses, what was before.
 * @throws what `request` throws
 */
export const changing = async <T>(uuid: string, fields: Change, request: () => Promise<T>): Promise<T> => {
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
    if (before) change(uuid, undoOf(before, fields));
    isStale(uuid);
    throw error;
  }
};

/** Changes many conversations. @throws ApiError where none was changed */
export const setMany = async (uuids: readonly string[], wanted: Wanted): Promise<BulkResult> => {
  const request = inTurn(uuids, () =>
    ask<BulkResult>('POST', 'conversations/bulk/', { uuids, ...wanted }, { keepalive: true }),
  );
  await Promise.all(uuids.map((uuid) => changing(uuid, wanted, () => request)));
  const result = await request;
  const done = new Set(result.changed);
  for (const uuid of uuids) if (!done.has(uuid)) isStale(uuid);
  void countAnew();
  return result;
};

const hasTags = ({ add_tags = [], remove_tags = [] }: Wanted): boolean =>
  add_tags.length > 0 || remove_tags.length > 0;

/** Changes tags of a conversation, and what is changed with them. @throws ApiError */
const setTagged = async (uuid: string, wanted: Wanted): Promise<void> => {
  // The way of many: the one of a single conversation takes all of its tags, and undoes what others do to them.
  const { changed, refused } = await setMany([uuid], wanted);
  if (changed.length > 0) return;
  const isAboutTags = refused.length > 0 && !wanted.assignee;
  throw new ApiError(400, isAboutTags ? words.value.inbox.tooManyTags(MAX_TAGS) : '');
};

/** Changes a conversation. @throws ApiError */
export const set = (uuid: string, wanted: Wanted): Promise<void> =>
  hasTags(wanted) ? setTagged(uuid, wanted) : readingAlong(() => setOne(uuid, wanted));

const setOne = async (uuid: string, wanted: Wanted): Promise<void> => {
  const request = () => ask<Conversation>('PATCH', `conversations/${uuid}/`, wanted, { keepalive: true });
  const answer = await changing(uuid, wanted, () => inTurn([uuid], request));
  const isOvertaken = answer.updated_at < (known.value.get(uuid)?.updated_at ?? '');
  if (!isGone(uuid)) put([answer]);
  // The live channel has told what somebody else has done since.
  if (isOvertaken) isStale(uuid);
  void countAnew();
};
