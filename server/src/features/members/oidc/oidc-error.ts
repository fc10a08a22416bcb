import { type ErrorCode, ParlorError } from '../../../platform/errors.ts';

/** Why somebody was not signed in, with what is said of it (docs/oidc.md#when-it-does-not-work). */
const REASONS = {
  provider_unavailable: ['unavailable', 'The sign-in provider does not answer. Try again in a moment.'],
  not_begun_here: [
    'malformed',
    'This sign-in was not begun in this browser, took longer than 10 minutes, or was used. Begin again.',
  ],
  refused_by_provider: ['forbidden', 'The sign-in provider did not let you in.'],
  answer_not_accepted: ['forbidden', 'What the sign-in provider says of you can’t be accepted.'],
  email_not_verified: [
    'forbidden',
    'The sign-in provider does not say that your e-mail address is verified.',
  ],
  no_member: ['forbidden', 'Nobody with your e-mail address is a member here. Ask for an invitation.'],
  several_invitations: [
    'conflict',
    'Several accounts have invited your e-mail address. Open the link of the one that you accept.',
  ],
} as const satisfies Record<string, readonly [ErrorCode, string]>;

export type OidcReason = keyof typeof REASONS;

/** What is said of a reason. */
export const messageOf = (reason: OidcReason): string => REASONS[reason][1];

/** Somebody could not be signed in by OpenID Connect. */
export class OidcError extends ParlorError {
  readonly reason: OidcReason;
  /** Why, for the log of the operator; it holds nothing of tokens and people. */
  readonly why: string;

  constructor(reason: OidcReason, why = '') {
    const [code, message] = REASONS[reason];
    super(code, message, reason === 'provider_unavailable' ? { headers: { 'Retry-After': '10' } } : {});
    this.reason = reason;
    this.why = why;
  }
}
