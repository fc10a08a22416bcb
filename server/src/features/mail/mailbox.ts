/** The mailbox of a folded address: `ada+1@example.com` and `ada+2@example.com` are one in most places. */
export const mailboxOf = (email_key: string): string => email_key.replace(/\+[^@]*@/, '@');
