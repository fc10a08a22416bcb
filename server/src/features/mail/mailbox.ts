/** Google's, where dots in front of the `@` mean nothing, either. */
const GMAIL = /^([^@]+)@(?:gmail|googlemail)\.com$/;

/** The mailbox of a folded address: `ada+1@example.com` and `ada+2@example.com` are one in most places. */
export const mailboxOf = (email_key: string): string => {
  const address = email_key.replace(/\+[^@]*@/, '@');
  const [, name] = GMAIL.exec(address) ?? [];
  return name === undefined ? address : `${name.replaceAll('.', '')}@gmail.com`;
};
