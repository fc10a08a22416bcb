/** What the kernel has to know of whoever makes a request. */
interface AnyPrincipal {
  kind: string;
  /** The account whose data it works on. */
  owner: string;
  /** Within what an Idempotency-Key names a request. */
  scope: string;
  /** Many have this credential: only a key that nobody guesses tells them apart. */
  isShared: boolean;
}

/**
 * Who may make requests, by kind. A feature that lets somebody in adds its kind here by declaration merging, so that
 * the kernel knows of none of them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the features fill it
export interface Principals {}

/** Who makes a request. */
export type Principal = Principals[keyof Principals] & AnyPrincipal;
