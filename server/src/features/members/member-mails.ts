import type { Member } from './member.ts';

/** Asks for mails to members; whoever sends them says how often. */
export interface MemberMails {
  /**
   * Mails an invitation's link to whom it is for.
   * @param baseUrl what the link begins with
   * @returns whether a mail goes out
   */
  invite(member: Member, baseUrl: string): Promise<boolean>;
  /**
   * Mails a link by which whoever has this address sets a new password. It does the same for an address that nobody has,
   * and takes as long.
   */
  resetPassword(email: string, baseUrl: string): Promise<void>;
}
