import { text } from '@parlor/shared';
import { z } from 'zod';
import { throttled } from '../../platform/errors.ts';
import { placeOf, type Secrets } from '../../platform/secrets.ts';
import { isSigningSecret, SIGNING_SECRET } from './signing.ts';
import type { StoredWebhook } from './webhooks.model.ts';

/** How long a secret that was replaced signs beside the present one. */
const PREVIOUS_SECRET_SIGNS_FOR_MS = 24 * 3_600_000;

/** How many secrets sign beside the present one at most: each adds 48 bytes to a header of every delivery. */
export const MAX_PREVIOUS_SECRETS = 10;

/** A secret that was replaced, and until when it signs. */
interface PreviousSecret {
  secret: string;
  expires_at: Date;
}

/** Several of them, and what each has of characters: the secret, and JSON around it. */
const MAX_OPENED = 4_000;

const SEVERAL = z
  .array(z.object({ secret: SIGNING_SECRET, expires_at: z.iso.datetime() }))
  .max(MAX_PREVIOUS_SECRETS);

type Several = z.infer<typeof SEVERAL>;

/** Those in a text that holds several; undefined where it is none. */
const severalIn = (opened: string): Several | undefined => {
  try {
    return SEVERAL.safeParse(JSON.parse(opened)).data;
  } catch {
    return undefined;
  }
};

/** `previous_sealed` as it is read once it is opened. */
export const PREVIOUS_SECRETS = text({ max: MAX_OPENED }).refine(
  (opened) => isSigningSecret(opened) || severalIn(opened) !== undefined,
  { error: 'No list of secrets.' },
);

type WithPrevious = Pick<StoredWebhook, '_id' | 'account' | 'previous_sealed' | 'previous_expires_at'>;

/** The secrets that were replaced and still sign at `now`, the latest first. */
export const previousSecrets = (webhook: WithPrevious, secrets: Secrets, now: Date): PreviousSecret[] => {
  const { previous_sealed, previous_expires_at } = webhook;
  if (!previous_sealed || !previous_expires_at || previous_expires_at <= now) return [];
  const place = placeOf(webhook, 'previous_sealed');
  // Without them the present one signs alone.
  if (!secrets.opens(previous_sealed, place)) return [];
  const opened = secrets.decrypt(previous_sealed, place);
  // Before several were kept, the one secret stood here by itself.
  if (isSigningSecret(opened)) return [{ secret: opened, expires_at: previous_expires_at }];
  // What an older version has read in may be none.
  return (severalIn(opened) ?? [])
    .map(({ secret, expires_at }) => ({ secret, expires_at: new Date(expires_at) }))
    .filter(({ expires_at }) => expires_at > now);
};

/**
 * What is stored when the present secret is replaced: it signs for 24 hours more, and those replaced before it until
 * the end that each was promised.
 * @throws ParlorError `throttled` when ten that were replaced still sign
 */
export const withPresentReplaced = (current: StoredWebhook, secrets: Secrets, now: Date) => {
  const earlier = previousSecrets(current, secrets, now);
  const oldest = earlier[MAX_PREVIOUS_SECRETS - 1];
  if (oldest) {
    throw throttled(
      oldest.expires_at.getTime() - now.getTime(),
      `A secret can be rotated ${MAX_PREVIOUS_SECRETS} times in 24 hours.`,
    );
  }
  const expires_at = new Date(now.getTime() + PREVIOUS_SECRET_SIGNS_FOR_MS);
  const place = placeOf(current, 'secret_sealed');
  // One that can't be opened, or is none, signs nothing: replacing it is the way on.
  const present = secrets.opens(current.secret_sealed, place)
    ? [{ secret: secrets.decrypt(current.secret_sealed, place), expires_at }]
    : [];
  const signing = present.filter(({ secret }) => isSigningSecret(secret));
  const all = JSON.stringify([...signing, ...earlier]);
  return {
    previous_sealed: secrets.encrypt(all, placeOf(current, 'previous_sealed')),
    previous_expires_at: expires_at,
  } satisfies Partial<WithPrevious>;
};
