import { MAX_AVATAR_BYTES, MAX_AVATAR_SIDE, Member } from '@parlor/shared';
import { z } from 'zod';
import type { Context } from '../../../http/context.ts';
import { deleted, shown, uuidInPath } from '../../../http/openapi/operation.ts';
import type { RateLimits } from '../../../http/rate-limits.ts';
import type { Route } from '../../../http/route.ts';
import { precondition, sendTag } from '../../../http/single-object.ts';
import { pathUuid } from '../../../http/validate.ts';
import { notFound } from '../../../platform/errors.ts';
import { sendMember } from '../members.routes.ts';
import { actionOf, memberOf } from '../principal.ts';
import { AVATAR_PATH } from './avatar-url.ts';
import type { Avatars } from './avatars.service.ts';
import { IMAGE_TYPES } from './image.ts';

/**
 * The picture of an address never changes, so that nobody has to ask again. A day, and not a year: so long may a picture that
 * was removed still be shown by caches.
 */
const PUBLIC_CACHE = 'public, max-age=86400, immutable';

/** Opened by itself it is a picture, whatever a browser takes its bytes for. */
const POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'";

const tag = 'Members';
const callers = ['account'] as const;
const ownPath = '/api/v1/members/me/avatar/';

/** Pictures of members (docs/contract.md#pictures-of-members). */
export const avatarRoutes = ({
  avatars,
  rateLimits,
  baseUrl,
}: {
  avatars: Avatars;
  rateLimits: Pick<RateLimits, 'countAddress'>;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'PUT',
    path: ownPath,
    id: 'putOwnAvatar',
    tag,
    summary: 'Set your picture',
    description: `The bytes of a PNG, JPEG or WebP, as they are: what they are counts, not what they are called. At most ${MAX_AVATAR_BYTES / 1_024} KiB and ${MAX_AVATAR_SIDE} pixels wide and high, not animated. Visitors see it. What a camera has written into it, such as the place, is left out, as are colour profiles and the direction in which it was held.`,
    callers,
    bytes: { types: IMAGE_TYPES, limit: MAX_AVATAR_BYTES },
    condition: 'write',
    answers: shown(Member),
    handler: async (ctx) => {
      const upload = ctx.state.bytes ?? Buffer.alloc(0);
      const member = await avatars.put(memberOf(ctx), upload, precondition(ctx), actionOf(ctx));
      sendMember(ctx, member, baseUrl(ctx));
    },
  },
  {
    method: 'DELETE',
    path: ownPath,
    id: 'deleteOwnAvatar',
    tag,
    summary: 'Remove your picture',
    description: 'Also where there is none.',
    callers,
    condition: 'write',
    answers: deleted,
    handler: async (ctx) => {
      await avatars.remove(memberOf(ctx), precondition(ctx), actionOf(ctx));
      ctx.status = 204;
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/members/{uuid}/avatar/',
    id: 'deleteAvatar',
    tag,
    summary: 'Remove the picture of a member',
    description: 'Also where there is none. Admins remove no owner’s.',
    callers,
    params: { uuid: uuidInPath() },
    condition: 'write',
    answers: deleted,
    handler: async (ctx) => {
      await avatars.removeOf(memberOf(ctx), pathUuid(ctx), precondition(ctx), actionOf(ctx));
      ctx.status = 204;
    },
  },
  {
    method: 'GET',
    path: `${AVATAR_PATH}{avatar}`,
    id: 'retrieveAvatar',
    tag,
    summary: 'The picture of a member',
    description:
      'At the address that `avatar` says, and for everybody who knows it. It is a 404 once the member has another one, none, or was removed.',
    callers: ['public'],
    params: { avatar: z.string().meta({ example: 'V1StGXR8Z5jdHi6Bw0pV1StGXR8Z5jdHi6Bw0pV1StG' }) },
    condition: 'read',
    errors: [429],
    answers: { status: 200, description: 'The picture.', types: IMAGE_TYPES, headers: ['ETag'] },
    handler: async (ctx) => {
      const { avatar = '' } = ctx.params ?? {};
      const found = await avatars.get(avatar);
      if (!found) {
        await rateLimits.countAddress(ctx, 'unknown');
        throw notFound();
      }
      ctx.status = 200;
      ctx.type = found.type;
      ctx.body = found.bytes;
      ctx.set('Cache-Control', PUBLIC_CACHE);
      ctx.set('Content-Security-Policy', POLICY);
      sendTag(ctx, `"${avatar}"`);
    },
  },
];
