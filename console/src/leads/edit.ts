import type { Lead } from '@parlor/shared';

/** What members change of a lead. */
export const FIELDS = ['nickname', 'email', 'phone_number'] as const;
export type Field = (typeof FIELDS)[number];
export type Contact = Pick<Lead, Field>;

/** What is being written about a lead. */
export interface Edit {
  /** The lead as the server has it, as far as is known here. */
  base: Contact;
  mine: Contact;
  /** What somebody else has written into fields that are being changed here. */
  theirs: Partial<Contact>;
}

export const contactOf = ({ nickname, email, phone_number }: Contact): Contact => ({
  nickname,
  email,
  phone_number,
});

/** Starts with what stands there. */
export const editOf = (lead: Contact): Edit => ({ base: contactOf(lead), mine: contactOf(lead), theirs: {} });

/** The fields that differ from what the server has. */
export const changesOf = ({ base, mine }: Edit): Partial<Contact> =>
  Object.fromEntries(FIELDS.filter((name) => mine[name] !== base[name]).map((name) => [name, mine[name]]));

/**
 * Goes on from another state of the lead: what was not changed here follows it, what was is kept, and what both have
 * changed is shown beside it.
 */
export const rebase = ({ base, mine, theirs }: Edit, lead: Contact): Edit => {
  const next = editOf(lead);
  for (const name of FIELDS) {
    if (mine[name] === base[name]) continue;
    next.mine[name] = mine[name];
    const isTheirs = lead[name] !== base[name] || theirs[name] !== undefined;
    if (isTheirs && lead[name] !== mine[name]) next.theirs[name] = lead[name];
  }
  return next;
};

/** Whether two say the same. */
export const isSame = (a: Contact, b: Contact): boolean => FIELDS.every((name) => a[name] === b[name]);
