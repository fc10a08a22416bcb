import { createHash } from 'node:crypto';
import { duplicateFields } from '../database/duplicate.ts';
import { isPast } from '../database/has-come.ts';
import { ParlorError } from '../platform/errors.ts';
import { newUuid } from '../platform/ids.ts';
import type { Secrets } from '../platform/secrets.ts';
import { ClaimLooks } from './claim-looks.ts';
import type { Context, Handler } from './context.ts';
import { statusOf } from './error-responses.ts';
import { behindEvent } from './event-stream.ts';
import type { IdempotencyClaim, IdempotencyModel } from './idempotency.model.ts';
import { LeftClaims } from './left-claims.ts';
import type { Principal } from './principal.ts';

const KEPT_FOR_MS = 86_400_000;
const LEASE_MS = 30_000;
/** A request that waits for a bot may take as long, and longer where the database is slow. */
const RENEW_EVERY_MS = 10_000;

/** How long a second request waits for the first one's response before it is told to come again. */
const PATIENCE_MS = 5_000;

/** Headers of a response that a replay repeats. */
const REPLAYED_HEADERS = ['Content-Type', 'Location', 'ETag', 'Cache-Control'];

/** A UUID of version 4: 122 random bits, which nobody guesses (RFC 9562, 5.4). */
const RANDOM_UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

/** A UUID of version 7: when it was made, and at least 62 random bits (RFC 9562, 5.7). */
const TIMED_UUID = /^([\da-f]{8}-[\da-f]{4})-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

/**
 * Under which uuid a request makes its object. Where that is kept for good it follows from the request, so that one that
 * is repeated when its claim is long gone finds what was made. It has the key's time: what is new is together in an index.
 */
const objectOf = (request: string, key: string): string => {
  const time = TIMED_UUID.exec(key)?.[1]?.toLowerCase();
  if (time === undefined) return newUuid();
  const digits = createHash('sha256').update(request).digest('hex');
  return `${time}-7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`;
};

/**
 * Within what a key names a request, which is one sender. Where many share a credential, it takes something more that
 * only the sender knows: a secret that the feature has recognised the sender by, or a key that nobody guesses.
 */
const scopeOf = ({ scope, isShared }: Principal, key: string): string => {
  if (!isShared || RANDOM_UUID.test(key)) return scope;
  throw new ParlorError(
    'malformed',
    'Idempotency-Key must be a random UUID (version 4), since others have the same X-API-Key. ' +
      "Any key is good for messages together with Parlor-Client, the secret from the header of start's answer.",
  );
};

/** Two bodies that are equal as JSON give the same text. The depth is limited by json-body.ts. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'none';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`;
};

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

/**
 * Makes a POST safe to repeat (docs/contract.md#idempotency-keys): the same Idempotency-Key with the same
 * request replays the first 2xx response for 24 h, and for good finds what was made where `isForGood`. It stands after authentication and the body, and before the
 * handler, which makes its object under `ctx.state.newUuid`; so a retry after a crash finds what was made.
 */
export const createIdempotency = (claims: IdempotencyModel, secrets: Secrets) => {
  const left = new LeftClaims(claims, LEASE_MS);
  const looks = new ClaimLooks<IdempotencyClaim | null>();
  return (isForGood: boolean): Handler =>
    async (ctx, next) => {
      const key = ctx.get('Idempotency-Key');
      if (!('idempotency-key' in ctx.headers)) return next();
      if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
        throw new ParlorError('malformed', 'Idempotency-Key must be 1 to 255 printable characters.');
      }
      const { principal } = ctx.state;
      if (!principal) throw new Error('idempotency needs an authenticated request');
      const scope = scopeOf(principal, key);
      const ids = secrets.fingerprints('idempotency', `${scope} ${key}`);
      const path = ctx.path.replace(/\/$/, '');
      const request = hash(`${ctx.method} ${path} ${canonical(ctx.state.body)}`);

      const object = () => (isForGood ? objectOf(`${scope} ${key} ${request}`, key) : newUuid());
      const claim = await acquire(
        { claims, left, looks },
        ids,
        { account: principal.owner, request },
        object,
      );
      if (claim.answer) return replay(ctx, claim.answer);

      ctx.state.newUuid = claim.object;
      const own = { _id: claim._id, owner: claim.owner };
      const renewing = setInterval(() => renew(claims, own), RENEW_EVERY_MS);
      try {
        await next();
        if (ctx.status >= 200 && ctx.status < 300) {
          const { uuid, at } = ctx.state.subject ?? { uuid: claim.object, at: new Date() };
          await claims.updateOne(
            { ...own, is_gone: { $exists: false } },
            { $set: { answer: answerOf(ctx), subject: uuid, subject_at: at } },
          );
        } else if (!claim.wasLeft) await claims.deleteOne(own);
        else left.leave(own);
      } catch (error) {
        const isRefused = error instanceof ParlorError && statusOf(error) < 500;
        // What an earlier request may have stored is there also where this one is refused.
        if (isRefused && !claim.wasLeft) await claims.deleteOne(own).catch(() => undefined);
        else left.leave(own);
        throw error;
      } finally {
        clearInterval(renewing);
      }
    };
};

interface Claims {
  claims: IdempotencyModel;
  left: LeftClaims;
  looks: ClaimLooks<IdempotencyClaim | null>;
}

type Acquired = IdempotencyClaim & { wasLeft?: boolean };

/**
 * Gets the claim for this request: a new one, one that was left behind, or one that has its response.
 * @param ids what the claim may be stored under: while SECRET_KEY changes, other servers may store by another key
 * @throws ParlorError `key_reused` for another request under the same key, `conflict` while the first runs, or when what it made was deleted.
 */
const acquire = async (
  { claims, left, looks }: Claims,
  ids: readonly string[],
  { account, request }: Pick<IdempotencyClaim, 'account' | 'request'>,
  object: () => string,
): Promise<Acquired> => {
  const owner = newUuid();
  const [current = '', ...others] = ids;
  const anyOf = (some: readonly string[]) => ({ _id: { $in: some as string[] } });
  const look = () => claims.findOne(anyOf(ids)).lean<IdempotencyClaim>().exec();

  /** @returns undefined where the request of a claim runs, or another one has been quicker */
  const take = async (known: IdempotencyClaim | null): Promise<Acquired | undefined> => {
    const now = Date.now();
    const fresh = {
      request,
      owner,
      leased_until: leaseEnd(),
      expires_at: new Date(now + KEPT_FOR_MS),
    };
    if (!known) {
      const uuid = object();
      // Until there is a response the object itself: one that is deleted meanwhile leaves none.
      const claim: IdempotencyClaim = { _id: current, account, object: uuid, subject: uuid, ...fresh };
      try {
        await claims.insertOne(claim);
      } catch (error) {
        if (duplicateFields(error)) return undefined;
        left.leave({ _id: current, owner });
        throw error;
      }
      if (others.length === 0 || !(await claims.exists(anyOf(others)))) return claim;
      // Another server has claimed it by the other key at the same time: both may see that, and try again.
      await claims.deleteOne({ _id: current, owner });
      return undefined;
    }
    const hasExpired = known.expires_at.getTime() <= now;
    if (!hasExpired && known.request !== request) {
      throw new ParlorError('key_reused', 'Idempotency-Key was already used for another request.');
    }
    if (!hasExpired && known.is_gone) {
      throw new ParlorError('conflict', 'What was made under this Idempotency-Key has been deleted.');
    }
    if (!hasExpired && known.answer) return known;
    if (!hasExpired && !isPast(known.leased_until, new Date(now), LEASE_MS)) return undefined;
    // What a killed process began goes on under the same uuid; what ran out begins anew.
    const uuid = hasExpired ? object() : known.object;
    const taken = await claims
      .findOneAndUpdate(
        { _id: known._id, owner: known.owner, expires_at: known.expires_at },
        {
          $set: { ...fresh, object: uuid, subject: uuid },
          $unset: { answer: 1, is_gone: 1, subject_at: 1 },
        },
        { returnDocument: 'after' },
      )
      .lean<IdempotencyClaim>()
      .catch((error) => {
        // It may have been done all the same.
        left.leave({ _id: known._id, owner });
        throw error;
      });
    return taken ? { ...taken, wasLeft: !hasExpired } : undefined;
  };

  const deadline = Date.now() + PATIENCE_MS;
  const atOnce = await take(await look());
  if (atOnce) return atOnce;
  const later = await looks.join(current, look, async (next) => {
    while (Date.now() < deadline) {
      const taken = await take(await next());
      if (taken) return taken;
    }
    return undefined;
  });
  if (later) return later;
  throw new ParlorError('conflict', 'A request with this Idempotency-Key is still running. Try again.', {
    headers: { 'Retry-After': '1' },
  });
};

const leaseEnd = (): Date => new Date(Date.now() + LEASE_MS);

/** Keeps a claim on whose request still runs. One that is not kept on runs out. */
const renew = (claims: IdempotencyModel, own: Pick<IdempotencyClaim, '_id' | 'owner'>): void => {
  // Not where the request has ended meanwhile.
  const running = { ...own, answer: { $exists: false }, leased_until: { $gt: new Date(0) } };
  claims.updateOne(running, { $set: { leased_until: leaseEnd() } }).catch(() => undefined);
};

const answerOf = (ctx: Context): NonNullable<IdempotencyClaim['answer']> => {
  const body =
    ctx.body === undefined || ctx.body === null
      ? ''
      : typeof ctx.body === 'string'
        ? ctx.body
        : JSON.stringify(ctx.body);
  const headers = Object.fromEntries(
    REPLAYED_HEADERS.filter((name) => ctx.res.hasHeader(name)).map((name) => [
      name,
      String(ctx.response.get(name)),
    ]),
  );
  return { status: ctx.status, body, headers };
};

const replay = (ctx: Context, { status, body, headers }: NonNullable<IdempotencyClaim['answer']>): void => {
  ctx.status = status;
  ctx.set(headers);
  ctx.set('Idempotency-Replayed', 'true');
  // Whoever lost a stream that has ended since goes on in it, as in one that runs.
  if (headers['Content-Type']?.startsWith('text/event-stream')) {
    ctx.body = behindEvent(body, ctx.get('Last-Event-ID'));
  } else if (body !== '') ctx.body = body;
};
