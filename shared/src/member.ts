import { z } from 'zod';
import { Credentials, Registration } from './account.ts';
import { boolean, choice, datetime, email, optionalText, text, uuid, uuidReferences } from './fields.ts';
import { MAX_MEMBER_NAME } from './limits.ts';
import { avatarUrl } from './member-reference.ts';

/** What a member may do (docs/contract.md#members). */
export const ROLES = ['owner', 'admin', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** As many as an account has at most. */
const MAX_WIDGETS = 100;

const widgets = () =>
  uuidReferences(MAX_WIDGETS)
    .nullable()
    .meta({
      description: 'The widgets whose conversations and leads an operator sees, and no others; null: all.',
      example: ['0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11'],
    });

/** A person of an account (docs/contract.md#members). */
export const Member = z
  .object({
    uuid: uuid(),
    username: z
      .string()
      .nullable()
      .meta({ description: 'null while the invitation is not accepted.', example: 'grace' }),
    email: email().meta({ example: 'grace@example.com' }),
    name: text({ max: MAX_MEMBER_NAME }).meta({ example: 'Grace', description: 'What visitors see.' }),
    avatar: avatarUrl(),
    role: choice(ROLES),
    widgets: widgets().meta({ example: null }),
    is_away: boolean(),
    has_password: boolean().meta({ description: 'Who signs in at a provider only has none.' }),
    has_totp: boolean().meta({ description: 'Whether sign-in asks for a code, too.' }),
    invitation_expires_at: datetime().nullable().meta({
      description: 'Until when the invitation can be accepted; null once it is.',
      example: null,
    }),
    created_at: datetime(),
    seen_at: datetime().nullable().meta({
      description:
        'When it last asked for something, in a session or with its own token, to the minute; null: never.',
      example: '2026-11-22T09:30:00.123+00:00',
    }),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;

/** The body of POST /api/v1/members/, which invites. */
export const NewMember = z
  .object({
    email: email().meta({ example: 'grace@example.com' }),
    name: optionalText(MAX_MEMBER_NAME).meta({ example: 'Grace' }),
    role: choice(ROLES).default('operator'),
    widgets: widgets().default(null).meta({ example: null }),
  })
  .meta({ id: 'NewMember' });
export type NewMember = z.infer<typeof NewMember>;

/** What others may change of a member. */
export const MemberSettings = z
  .object({
    role: choice(ROLES),
    name: text({ max: MAX_MEMBER_NAME }).meta({ example: 'Grace' }),
    widgets: widgets(),
  })
  .meta({ id: 'MemberSettings' });
export type MemberSettings = z.infer<typeof MemberSettings>;

/** What a member changes of itself. */
export const OwnSettings = z
  .object({ name: text({ max: MAX_MEMBER_NAME }).meta({ example: 'Grace' }), is_away: boolean() })
  .meta({ id: 'OwnSettings' });
export type OwnSettings = z.infer<typeof OwnSettings>;

/** An invited member with the link, which is shown this once. */
export const InvitedMember = Member.extend({
  invite_url: z.string().meta({
    example: 'https://chat.example.com/console/invitation#token=V1StGXR8Z5jdHi6Bw0pV1StGXR8Z5jdHi6Bw0pV1StG',
    description: 'For whoever is invited, and nobody else: it is good once, for 7 days.',
  }),
  is_mailed: boolean().meta({ description: 'Whether the link goes to the address by mail, too.' }),
}).meta({ id: 'InvitedMember' });

/** The body of POST /api/v1/auth/accept-invitation. */
export const Acceptance = Registration.pick({ username: true, password: true, password2: true })
  .extend({
    token: text({ min: 1, max: 200 }).meta({
      example: 'V1StGXR8Z5jdHi6Bw0pV1StGXR8Z5jdHi6Bw0pV1StG',
      description: 'What stands behind `#token=` in `invite_url`.',
    }),
  })
  .meta({ id: 'Acceptance' });
export type Acceptance = z.infer<typeof Acceptance>;

/** The body of POST /api/v1/auth/password-reset. */
export const PasswordResetRequest = z
  .object({ email: email().meta({ example: 'grace@example.com' }) })
  .meta({ id: 'PasswordResetRequest' });

/** The body of POST /api/v1/auth/password-reset/confirm. */
export const PasswordReset = Registration.pick({ password: true, password2: true })
  .extend({
    token: text({ min: 1, max: 200 }).meta({
      example: '3f6c1d0a9b7e4f5d8c2b1a0f9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a2f1e0d',
      description: 'What stands behind `#token=` in the link of the mail.',
    }),
  })
  .meta({ id: 'PasswordReset' });
export type PasswordReset = z.infer<typeof PasswordReset>;

/** The body of POST /api/v1/auth/session. */
export const SessionCredentials = Credentials.pick({ username: true, password: true, code: true })
  .extend({
    time_zone: optionalText(64).meta({
      example: 'Europe/London',
      description: 'By which the list of sessions tells places apart.',
    }),
  })
  .meta({ id: 'SessionCredentials' });
export type SessionCredentials = z.infer<typeof SessionCredentials>;

/** The body of POST /api/v1/auth/welcome. */
export const Welcome = z
  .object({
    token: text({ min: 1, max: 200 }).meta({
      example: 'V1StGXR8Z5jdHi6Bw0pV1StGXR8Z5jdHi6Bw0pV1StG',
      description: 'What stands behind `#welcome=` in the link.',
    }),
    time_zone: SessionCredentials.shape.time_zone,
  })
  .meta({ id: 'Welcome' });
export type Welcome = z.infer<typeof Welcome>;

/** Whether members sign in at a provider of OpenID Connect, too. */
export const OidcDescription = z
  .object({
    is_available: boolean(),
    name: z.string().meta({ example: 'Our office', description: 'What the button says; empty without one.' }),
  })
  .meta({ id: 'OidcDescription' });
export type OidcDescription = z.infer<typeof OidcDescription>;

/** The query of GET /api/v1/auth/oidc/start. */
export const OidcStart = z.object({
  return_to: optionalText(1000, '/console/').meta({
    example: '/console/',
    description: 'Where the browser goes once it is signed in: a path of this server.',
  }),
  time_zone: SessionCredentials.shape.time_zone,
});

/** A browser that a member is signed in with. */
export const MemberSession = z
  .object({
    uuid: uuid(),
    device: z.string().meta({ example: 'Firefox 145 on Linux, desktop' }),
    time_zone: z.string().meta({ example: 'Europe/London' }),
    is_current: boolean().meta({ description: 'Whether it is the one that asks.' }),
    created_at: datetime(),
    seen_at: datetime(),
    expires_at: datetime(),
  })
  .meta({ id: 'MemberSession' });
export type MemberSession = z.infer<typeof MemberSession>;

const ownPassword = () =>
  optionalText(1000).meta({ example: 'a long enough secret', description: 'Required of who has one.' });

/** The body of POST /api/v1/auth/password. */
export const NewPassword = Registration.pick({ password: true, password2: true })
  .extend({
    old_password: ownPassword(),
  })
  .meta({ id: 'NewPassword' });
export type NewPassword = z.infer<typeof NewPassword>;

/** A secret for an authenticator app, which counts once a code of it was shown. */
export const TotpSecret = z
  .object({
    secret: z
      .string()
      .meta({ description: 'Base32, to be typed.', example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }),
    uri: z.string().meta({
      description: 'For a QR code.',
      example:
        'otpauth://totp/Parlor:ada?issuer=Parlor&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
    }),
  })
  .meta({ id: 'TotpSecret' });

/** The body of POST /api/v1/auth/totp and of …/disable. */
export const OwnPassword = z.object({ password: ownPassword() }).meta({ id: 'OwnPassword' });

/** The body of POST /api/v1/account/delete/ (docs/contract.md#account). */
export const AccountDeletion = OwnPassword.extend({
  username: text({ min: 1, max: 150 }).meta({
    description: 'Your own, so that nobody does this by mistake.',
    example: 'ada',
  }),
}).meta({ id: 'AccountDeletion' });

/** The body of POST /api/v1/auth/totp/confirm. */
export const TotpCode = z
  .object({ code: text({ min: 1, max: 40 }).meta({ example: '492039' }) })
  .meta({ id: 'TotpCode' });

/** What signs in without the app, each once. */
export const RecoveryCodes = z
  .object({ recovery_codes: z.array(z.string().meta({ example: 'k7dm-w2qx-3fzp-9ahv' })) })
  .meta({ id: 'RecoveryCodes' });
