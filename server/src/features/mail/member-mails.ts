import type { Account } from '../accounts/accounts.model.ts';
import type { ActiveMember, Member } from '../members/member.ts';
import type { Composed, MailType } from './mail-type.ts';
import type { Batch, OutgoingMail } from './outgoing-mails.model.ts';

/** What mails to members are made of. */
export interface MembersForMail {
  /** A member whose invitation is open, and the path of its link; undefined where it was accepted, withdrawn or has run out. */
  invited(account: string, uuid: string): Promise<{ member: Member; path: string } | undefined>;
  /** A member that has a password; undefined when it is gone. */
  active(account: string, uuid: string): Promise<ActiveMember | undefined>;
  /** The path of a link by which it sets another one: the same for the same mail. */
  issueReset(member: ActiveMember, mail: string): Promise<string>;
}

type Kind = Pick<MailType, 'compose' | 'mailbox'> & { kind: 'invitation' | 'password-reset' };

/** A kind of mail to one member, of which nothing is written down but that it waits. */
const mailToMember = (kind: Kind): MailType => ({
  ...kind,
  window: 0,
  mayGoTo: () => true,
  members: async () => [],
  sent: async () => undefined,
  failed: async () => undefined,
  forget: async () => undefined,
});

/** Mails with the link of an invitation. They hold no text of whoever invites but an address that was confirmed. */
export const invitationMails = (members: Pick<MembersForMail, 'invited'>): MailType =>
  mailToMember({
    kind: 'invitation',
    compose: async (owner: Account, _: Batch, mail: OutgoingMail) => {
      const { member: uuid = '', base_url = '' } = mail;
      const found = await members.invited(owner._id, uuid);
      if (!found) return undefined;
      // Whoever has come into the founder's place since the mail was asked for has confirmed no address.
      const whose = owner.email_confirmed_at === null ? 'an account' : `the account of ${owner.email}`;
      const text = `You are invited to work with ${whose} in the chat at ${base_url}. To accept, open this page within
7 days of the invitation, and choose a username and a password:

${base_url}${found.path}

The link is yours alone, and good once. If you expect no invitation, do nothing.
`;
      return composed(`member-invitation.${uuid}`, found.member.email, 'You are invited', text);
    },
  });

/**
 * Mails with a link that sets a new password. They hold no text of whoever has asked for them, nor a name that somebody else
 * may have registered with this address.
 */
export const passwordResetMails = (members: Pick<MembersForMail, 'active' | 'issueReset'>): MailType => {
  const recipient = async (owner: Account, { member: uuid = '', epoch }: OutgoingMail) => {
    const member = await members.active(owner._id, uuid);
    // It was used, or there is another password anyway: repeated, the mail would bring a new good link.
    return member && isOf(member, epoch) ? member : undefined;
  };
  return mailToMember({
    kind: 'password-reset',
    mailbox: async (owner, mail) => (await recipient(owner, mail))?.email_key,
    compose: async (owner, { id }, mail) => {
      const { base_url = '' } = mail;
      const member = await recipient(owner, mail);
      if (!member) return undefined;
      const { session_epoch = 0 } = member;
      const path = await members.issueReset(member, id);
      const isTheirs = member.isFounder && owner.email_confirmed_at !== null;
      const who = isTheirs ? `the member ${member.username}` : 'the member with this address';
      const text = `Somebody has asked for a new password for ${who} of the chat at ${base_url}. If it was you, open
this page within an hour and choose one:

${base_url}${path}

The link is good once. If it was not you, do nothing: your password stays as it is.
`;
      return composed(`password-reset.${id}.${session_epoch}`, member.email, 'Set a new password', text);
    },
  });
};

/** Whether a mail was asked for since the member's present password, as far as it says. */
const isOf = ({ session_epoch = 0 }: ActiveMember, epoch = session_epoch): boolean => epoch === session_epoch;

const composed = (id: string, to: string, subject: string, text: string): Composed => ({
  id,
  to,
  content: { subject, text },
});
