/** What of an account somebody sees: all of it, or what belongs to some of its widgets (docs/contract.md#members). */
export interface View {
  account: string;
  /** undefined: all of them, and what belongs to none. */
  widgets: readonly string[] | undefined;
}

/** What of an account its owner sees, and what works for the account itself. */
export const wholeAccount = (account: string): View => ({ account, widgets: undefined });

/** Whether two lists of widgets show the same. */
export const isSameRestriction = (a: View['widgets'], b: View['widgets']): boolean =>
  a === b || (a?.length === b?.length && a?.every((uuid) => b?.includes(uuid)) === true);

/** Whether somebody sees an object. */
export const isInView = (
  { account, widgets }: View,
  object: { account: string; widget?: string | undefined },
): boolean =>
  object.account === account &&
  (widgets === undefined || (object.widget !== undefined && widgets.includes(object.widget)));

/** The filter of a list, with which one of its collection's indexes begins. Only one account has a widget. */
export const inView = ({ account, widgets }: View): object =>
  widgets === undefined ? { account } : { widget: { $in: widgets } };
