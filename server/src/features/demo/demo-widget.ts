import type { Services } from '../../compose.ts';
import type { StoredWidget } from '../widgets/widgets.model.ts';

/** The account that the very first start makes (contract 8). */
export const DEMO_USERNAME = 'demo';

/** The widget on the demo site: the demo account's first; undefined where there is no such account. */
export const demoWidget = async ({
  accounts,
  widgets,
}: Pick<Services, 'accounts' | 'widgets'>): Promise<StoredWidget | undefined> => {
  const account = await accounts.byUsername(DEMO_USERNAME);
  return account && (await widgets.firstOf(account._id));
};
