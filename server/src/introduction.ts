import { type DemoAccount, introduceDemoAccount } from './features/demo/demo-account.ts';
import { DEMO_USERNAME } from './features/demo/demo-widget.ts';
import { founderOf } from './features/members/member.ts';
import { isTrial } from './platform/config.ts';
import type { RunningServer } from './server.ts';

/** What a first-time owner needs to go on, to be copied from the terminal. */
const introduction = (url: string, { username, password, token, widgetToken }: DemoAccount): string =>
  [
    'Parlor made an account for you to try. This is shown only once:',
    '',
    `  website     ${url}/demo/`,
    `  documents   ${url}/api/v1/docs`,
    `  username    ${username}`,
    `  password    ${password}`,
    `  API token   ${token}`,
    `  script tag  <script src="${url}/widget.js" data-token="${widgetToken}" async></script>`,
    '',
    '',
  ].join('\n');

/** A trial's account stays on a database that goes into use, and whoever has read the output of its first start is its owner. */
const warnOfTrial = async ({ accounts, log }: RunningServer['services']): Promise<void> => {
  const demo = await accounts.byUsername(DEMO_USERNAME);
  if (!demo?.is_demo || demo.deleted_at) return;
  log.warn(
    { username: DEMO_USERNAME },
    'the account of the trial is still here, with the password and token that its first start printed: ' +
      `"npm run parlor -- account delete ${DEMO_USERNAME} --yes" removes it`,
  );
};

/**
 * Says what only a start knows: the account for a trial, and links that sign in once.
 * @param say resolves to whether the text was written
 */
export const introduce = async (
  { services, url }: Pick<RunningServer, 'services' | 'url'>,
  say: (text: string) => Promise<boolean>,
): Promise<void> => {
  if (!isTrial(services.config)) return warnOfTrial(services);
  await introduceDemoAccount(services, (demo) => say(introduction(url, demo)));
  const demo = await services.accounts.byUsername(DEMO_USERNAME);
  const welcome = demo && services.welcomeLinks.issue(founderOf(demo));
  if (welcome) await say(`Inbox, signs you in once and within 15 minutes: ${url}${welcome}\n`);
  await say(`Settings panel, opens once and within 15 minutes: ${url}${services.panelAccess.issue()}\n`);
};
