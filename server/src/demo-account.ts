import { randomLetters } from './ids.ts';
import type { Services } from './services.ts';
import { DEMO_USERNAME } from './static/demo-widget.ts';

/** What the very first start of a trial prints, once. */
export interface DemoAccount {
  username: string;
  password: string;
  token: string;
  widgetToken: string;
}

/**
 * Makes the account `demo` when there is no account yet (contract 8).
 * @returns undefined when an account exists.
 */
export const createDemoAccount = async ({
  accounts,
  widgets,
}: Pick<Services, 'accounts' | 'widgets'>): Promise<DemoAccount | undefined> => {
  if (!(await accounts.isEmpty()) || (await accounts.byUsername(DEMO_USERNAME))) return undefined;
  const username = DEMO_USERNAME;
  const password = randomLetters(16);
  const account = await accounts.create(
    { username, email: 'demo@example.com', password, password2: password },
    { is_demo: true },
  );
  const token = await accounts.token({ username, password, reset_token: false });
  const widget = await widgets.firstOf(account._id);
  return { username, password, token, widgetToken: widget?.token ?? '' };
};
