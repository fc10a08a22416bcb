import { z } from 'zod';
import { uuid } from './fields.ts';

/** What names a member to others, as it was called when something was written or done. */
export const MemberReference = z
  .object({ uuid: uuid(), name: z.string().meta({ example: 'Grace' }) })
  .meta({ readOnly: true });
export type MemberReference = z.infer<typeof MemberReference>;

/** Where a member's picture is (docs/contract.md#pictures-of-members). */
export const avatarUrl = () =>
  z.string().nullable().meta({
    format: 'uri',
    readOnly: true,
    description: 'The address of the member’s picture; null: none. Another picture has another address.',
    example: 'https://chat.example.com/api/v1/avatars/V1StGXR8Z5jdHi6Bw0pV1StGXR8Z5jdHi6Bw0pV1StG',
  });
