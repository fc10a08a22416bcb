import type { Config } from '../../platform/config.ts';
import type { AccountsService } from '../accounts/accounts.service.ts';
import type { Credentials } from '../members/credentials.ts';
import type { StoredWidget } from '../widgets/widgets.model.ts';
import type { WidgetsService } from '../widgets/widgets.service.ts';
import type { PanelAccess } from './panel-access.ts';

/** What the demo is made of. */
export interface DemoServices {
  accounts: AccountsService;
  credentials: Credentials;
  widgets: WidgetsService;
  config: Config;
  panelAccess: PanelAccess;
}

/** The account that the very first start makes (docs/contract.md#operation). */
export const DEMO_USERNAME = 'demo';

/** The widget on the demo site: the demo account's first; undefined where there is no such account. */
export const demoWidget = async ({
  accounts,
  widgets,
}: Pick<DemoServices, 'accounts' | 'widgets'>): Promise<StoredWidget | undefined> => {
  const account = await accounts.byUsername(DEMO_USERNAME);
  return account && (await widgets.firstOf(account._id));
};
