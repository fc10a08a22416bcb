import type { Lead } from '@parlor/shared';

/** What members change of a lead. */
export const FIELDS = ['nickname', 'email', 'phone_number'] as const;
export type Contact = Pick<Lead, (typeof FIELDS)[number]>;

export const contactOf = ({ nickname, email, phone_number }: Contact): Contact => ({
  nickname,
  email,
  phone_number,
});
