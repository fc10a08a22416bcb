import {
  choice,
  choices,
  MAX_AVATAR_BYTES,
  MAX_EMAIL,
  ProgramToken,
  ROLES,
  SCOPES,
  text,
} from '@parlor/shared';
import { mongo } from 'mongoose';
import { z } from 'zod';
import { collectionOf, NEWEST_FIRST } from '../../database/collection-data.ts';
import { identifier, listOf, made } from '../../database/stored-shapes.ts';
import { SECRET_HASH } from '../../platform/random-secret.ts';
import { memberShapes } from '../accounts/member-fields.ts';
import { AVATAR_KEY, type StoredAvatar } from './avatars/avatar.model.ts';
import { cleanImage } from './avatars/image.ts';
import type { StoredMember } from './member.ts';
import type { StoredMemberSession } from './member-sessions.ts';
import type { StoredPasswordReset } from './password-resets.ts';
import { PROGRAM_TOKEN, type StoredProgramToken } from './program-tokens.ts';

/** Whether a picture is as it was kept: of no more pixels than are taken, and without anything but what makes them. */
const isClean = (picture: mongo.Binary): boolean => {
  const bytes = Buffer.from(picture.buffer);
  try {
    return cleanImage(bytes).equals(bytes);
  } catch {
    return false;
  }
};

const PICTURE = z
  .instanceof(mongo.Binary)
  .refine((bytes) => bytes.length() <= MAX_AVATAR_BYTES, {
    error: `Ensure this field has no more than ${MAX_AVATAR_BYTES} bytes.`,
    abort: true,
  })
  .refine(isClean, { error: 'No picture as a server keeps it.' });

/** What the map of data says of the collections of members. */
export const membersData = {
  members: collectionOf<StoredMember>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: NEWEST_FIRST,
    fields: {
      plain: [
        ...(['_id', 'account', 'role', 'widgets', 'created_at', 'avatar', 'is_away', 'seen_at'] as const),
        ...(['version', 'invitation_expires_at', 'session_epoch', 'kept_session', 'totp_step'] as const),
        ...(['totp_pending_at', 'invited_by'] as const),
      ],
      owner: ['username', 'email', 'username_key', 'email_key', 'name', 'invitation_key', 'events'],
      hashed: ['password', 'invitation_hash', 'recovery_hashes'],
      sealed: ['token_sealed', 'totp_sealed', 'totp_pending_sealed'],
      keyed: ['token_fingerprint'],
    },
    absent: [
      ...(['username', 'username_key', 'email_key', 'password', 'session_epoch', 'kept_session'] as const),
      ...(['token_fingerprint', 'token_sealed', 'name', 'avatar', 'is_away', 'seen_at', 'version'] as const),
      ...(['totp_sealed', 'totp_pending_sealed', 'totp_pending_at', 'totp_step', 'recovery_hashes'] as const),
      'widgets',
      ...(['invitation_hash', 'invitation_key', 'invitation_expires_at', 'invited_by'] as const),
    ],
    shapes: {
      ...memberShapes,
      role: choice(ROLES),
      widgets: listOf(identifier()),
      invitation_key: text({ max: MAX_EMAIL }),
      invitation_hash: made(SECRET_HASH),
    },
  }),
  avatars: collectionOf<StoredAvatar>()({
    owner: { by: 'account' },
    kept: 'until deleted',
    copied: { account: 1, made_at: 1 },
    fields: { plain: ['_id', 'account', 'member', 'made_at'], owner: ['bytes'] },
    shapes: { _id: z.string().regex(AVATAR_KEY), bytes: PICTURE },
  }),
  tokens: collectionOf<StoredProgramToken>()({
    owner: { by: 'account' },
    kept: { after: 'expires_at', seconds: 0 },
    copied: { account: 1 },
    fields: {
      plain: ['_id', 'account', 'member', 'scopes', 'created_at', 'expires_at', 'used_at'],
      owner: ['name', 'events'],
      sealed: ['token_sealed'],
      keyed: ['token_fingerprint'],
    },
    absent: ['expires_at', 'used_at'],
    shapes: { name: ProgramToken.shape.name, scopes: choices(SCOPES), token_sealed: made(PROGRAM_TOKEN) },
  }),
  // Not worth copying: whoever moves to another server signs in there.
  memberSessions: collectionOf<StoredMemberSession>()({
    owner: { by: 'account' },
    kept: { after: 'expires_at', seconds: 0 },
    fields: {
      plain: ['uuid', 'account', 'member', 'epoch', 'created_at', 'seen_at', 'expires_at'],
      owner: ['device', 'time_zone'],
      hashed: ['_id'],
    },
  }),
  passwordResets: collectionOf<StoredPasswordReset>()({
    owner: { by: 'account' },
    kept: { after: 'expires_at', seconds: 0 },
    fields: { plain: ['account', 'member', 'epoch', 'expires_at'], owner: ['email_key'], hashed: ['_id'] },
  }),
};
