import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomLetters } from '../../platform/ids.ts';
import { founderOf } from '../members/member.ts';
import { SHOP } from './demo-shop.ts';
import { DEMO_USERNAME, type DemoServices } from './demo-widget.ts';

/** What the very first start of a trial prints, once. */
export interface DemoAccount {
  username: string;
  password: string;
  token: string;
  widgetToken: string;
}

type Parts = Pick<DemoServices, 'accounts' | 'credentials' | 'widgets' | 'config'>;

/** In DATA_DIR while what only the first start knows has not been shown. */
const UNSEEN = 'demo-account-unseen';

/**
 * Makes the account `demo` when there is no account yet, and shows it once. A start that is killed in between, or
 * can't print, is made good by the next one, with a new password and token.
 * @param show resolves to whether it was shown
 */
export const introduceDemoAccount = async (
  parts: Parts,
  show: (account: DemoAccount) => Promise<boolean>,
): Promise<void> => {
  const unseen = join(parts.config.DATA_DIR, UNSEEN);
  const account = await parts.accounts.byUsername(DEMO_USERNAME);
  const isDone = account ? !existsSync(unseen) : !(await parts.accounts.isEmpty());
  if (!isDone) {
    await writeFile(unseen, '', { mode: 0o600, flush: true });
    if (!(await show(await demoAccount(parts)))) return;
  }
  await rm(unseen, { force: true });
};

/** The account `demo` with a new password and token; made when it is not there. */
export const demoAccount = async ({
  accounts,
  credentials,
  widgets,
}: Pick<DemoServices, 'accounts' | 'credentials' | 'widgets'>): Promise<DemoAccount> => {
  const username = DEMO_USERNAME;
  const password = randomLetters(16);
  const known = await accounts.byUsername(username);
  if (known) await credentials.setPassword(founderOf(known), password);
  const account =
    known ??
    (await accounts.create(
      { username, email: 'demo@example.com', password, password2: password },
      { is_demo: true },
    ));
  const token = await (known
    ? credentials.resetToken(founderOf(known))
    : credentials.tokenOf(founderOf(account)));
  const widget = await widgets.firstOf(account._id);
  // The shop's own colours and words, until somebody has changed them.
  if (widget?.version === 1) await widgets.change(account._id, widget.token, SHOP);
  return { username, password, token, widgetToken: widget?.token ?? '' };
};
