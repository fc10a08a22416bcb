import type { Job, Result } from '../../jobs/job-kind.ts';
import type { Attempt } from './attempt.ts';
import { type DeliveryModel, ERASED, NOT_ERASED, settled, settledErased } from './deliveries.model.ts';
import type { RetryDecision } from './retries.ts';

/** An attempt of a delivery, and what follows from it. */
export interface RecordedAttempt extends Pick<Result, 'due'> {
  delivery: Pick<Job, '_id' | 'tries'>;
  attempt: Attempt;
  decision: RetryDecision['kind'];
}

/** Which rows a write is for, and what makes those final. */
interface Which {
  filter: object;
  settle: typeof settled | typeof settledErased;
}

const WHOLE: Which = { filter: NOT_ERASED, settle: settled };
const EMPTIED: Which = { filter: ERASED, settle: settledErased };

/** How many attempts a delivery has had; none where its row doesn't say. */
export const countOf = ({ tries }: Pick<Job, 'tries'>): number =>
  Number.isSafeInteger(tries) && tries > 0 ? tries : 0;

/**
 * Adds attempts to their rows, and settles or puts off those by what came of them. Written a second time, as after a lost
 * acknowledgement, it changes nothing.
 */
export const recordAttempts = async (
  deliveries: DeliveryModel,
  results: readonly RecordedAttempt[],
): Promise<void> => {
  // Past mongoose, whose casting would cost as much as the sending.
  const write = (all: readonly RecordedAttempt[], which: Which) =>
    deliveries.collection.bulkWrite(all.map((result) => ({ updateOne: writeOf(result, which) })) as never, {
      ordered: false,
    });
  const { matchedCount } = await write(results, WHOLE);
  // What is erased is never whole again: whatever was erased before the first write, the second one finds.
  if (matchedCount < results.length) await write(results.map(unanswered), EMPTIED);
};

/** The same of one, over whatever its row holds of earlier attempts. */
export const recordOverEarlier = async (
  deliveries: DeliveryModel,
  result: RecordedAttempt,
): Promise<void> => {
  const write = (written: RecordedAttempt, which: Which) => {
    const { filter, update } = overwritingOf(written, which);
    return deliveries.collection.updateOne(filter as never, update as never);
  };
  const { matchedCount } = await write(result, WHOLE);
  if (matchedCount === 0) await write(unanswered(result), EMPTIED);
};

/** What a target answers may quote what it was sent. */
const unanswered = (result: RecordedAttempt): RecordedAttempt => ({
  ...result,
  attempt: { ...result.attempt, response: '' },
});

const writeOf = (result: RecordedAttempt, which: Which) => {
  const { delivery, attempt } = result;
  const { _id, tries } = delivery;
  // No write finds or raises what is no count.
  if (tries !== countOf(delivery)) return overwritingOf(result, which);
  // One that was dropped in flight stays dropped, unless it did arrive.
  const stands = isDelivered(result) ? { state: { $ne: 'delivered' } } : { state: 'pending', tries };
  const noted = { $push: { attempts: loggedOf(attempt) }, $inc: { tries: 1 } };
  return { filter: { _id, ...stands, ...which.filter }, update: { ...noted, ...decidedOf(result, which) } };
};

const overwritingOf = (result: RecordedAttempt, which: Which) => {
  const { delivery, attempt } = result;
  const state = isDelivered(result) ? { $ne: 'delivered' } : 'pending';
  const { $set, ...rest } = decidedOf(result, which);
  const noted = { attempts: [loggedOf(attempt)], tries: countOf(delivery) + 1 };
  const filter = { _id: delivery._id, state, ...which.filter };
  return { filter, update: { $set: { ...$set, ...noted }, ...rest } };
};

const isDelivered = ({ decision }: RecordedAttempt): boolean => decision === 'delivered';

const loggedOf = ({ retryAfter: _r, wasSent: _s, ...logged }: Attempt) => logged;

/** What becomes of the delivery. */
const decidedOf = (result: RecordedAttempt, { settle }: Which) =>
  result.due ? { $set: { due_at: result.due } } : settle(isDelivered(result) ? 'delivered' : 'failed');
