import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useBrowser } from '../../widget/test/browser.ts';
import { sameFonts } from '../../widget/test/fonts.ts';
import { ReferencePictures } from '../../widget/test/reference.ts';
import { startConsole } from './console-page.ts';
import { startVisits } from './inbox-page.ts';
import { SteadyTime } from './steady-time.ts';

/** Only there a browser can be given the fonts: elsewhere the same letters would look different. */
const isComparable = process.platform === 'linux';

const openBrowser = useBrowser(...(isComparable ? sameFonts() : []));
const HEIGHTS = { 360: 740, 1024: 768, 1440: 900 };
const SCHEMES = ['light', 'dark'] as const;

/** What differs from run to run: secrets, ids, the hue of a person, and the widget in the studio, which has pictures of its own. */
const HIDDEN = `
  pre { color: transparent !important; }
  circle { fill: #3b6ea5 !important; }
  iframe { visibility: hidden; }
`;

type Console = Awaited<ReturnType<typeof startConsole>>;

/** An account in which something of everything has happened. */
const furnish = async ({ rest, url, join }: Console, time: SteadyTime) => {
  const ask = async (method: string, path: string, body?: object) => {
    const { status, json } = await rest(method, `/api/v1/${path}`, body);
    expect([method, path, status < 300, json]).toEqual([method, path, true, json]);
    return json;
  };
  const make = (path: string, body: object) => time.step(() => ask('POST', path, body));
  await time.step(() => ask('PATCH', 'members/me/', { name: 'Ada Byron' }));
  const grace = await time.step(() => join('grace', 'operator', 'Grace Hopper'));
  await make('members/', { email: 'alan@example.com', role: 'admin', name: 'Alan' });
  const [shop] = await ask('GET', 'widgets/');
  await time.step(() => ask('PATCH', `widgets/${shop.token}/`, { name: 'Lamps & Co', color: '#2563eb' }));
  await make('widgets/', { name: 'Help pages' });
  await make('replies/', {
    name: 'Delivery times',
    shortcut: 'delivery',
    body: 'We deliver within two days, {{visitor.name}}.',
  });
  await make('replies/', { name: 'Returns', shortcut: 'return', body: 'You have 30 days to send it back.' });
  for (const keyword of ['refund', 'broken', 'lawyer']) await make('keywords/', { keyword });
  await make('tokens/', { name: 'Order import', scopes: ['leads:read', 'conversations:write'] });
  const nodes = [
    { id: 'Start', type: 'start', greeting: 'Hello! What can I do for you?', next: 'Ask' },
    { id: 'Ask', type: 'question', text: 'Is it about an order?', choices: ['Yes', 'No'], next: 'Hand over' },
    { id: 'Hand over', type: 'handoff', text: 'A colleague will be with you in a moment.' },
  ];
  const workflow = await make('workflows/', { name: 'Orders', nodes });
  const webhook = await make('webhooks/', {
    event: 'keyword_notification.added',
    target: 'https://crm.example.com/parlor',
  });
  const visit = await startVisits({ rest, url });
  const say = (uuid: string, body: string) =>
    make('messages/', { body, nickname: 'Ada', is_support_sender: true, room: { uuid } });
  const otto = await time.step(() => visit('Otto', 'My lamp came without a bulb.'));
  await say(otto.uuid, 'I am sorry! A bulb is on its way to you.');
  await time.step(() => otto.say('Great, thank you very much.'));
  await time.step(() => ask('PATCH', `conversations/${otto.uuid}/`, { status: 'done' }));
  const mei = await time.step(() => visit('Mei', 'Can I pay by invoice?'));
  await time.step(() => ask('PATCH', `conversations/${mei.uuid}/`, { assignee: grace, tags: ['billing'] }));
  const robin = await time.step(() =>
    visit('Robin Example', 'Do you deliver to Madeira? We are on holiday there.'),
  );
  await say(robin.uuid, 'We do: it takes five days. Shall I reserve one for you?');
  await make(`conversations/${robin.uuid}/notes/`, { body: 'The blue one is in the second store, @grace' });
  await time.step(() => robin.say('Yes, please. The blue one, see https://shop.example.com/lamps/blue'));
  await time.step(() => ask('PATCH', `conversations/${robin.uuid}/`, { tags: ['delivery', 'vip'] }));
  await time.step(() => visit('Zoë', 'Is anybody there?'));
  const lead = await make('leads/', {
    nickname: 'Robin Example',
    email: 'robin@example.com',
    device: 'Firefox on Linux',
  });
  await make('leads/', { nickname: 'Mei', phone_number: '+44 20 7946 0000', from_page_title: 'Lamps' });
  return {
    robin: robin.uuid,
    lead: lead.uuid,
    widget: shop.uuid,
    workflow: workflow.uuid,
    webhook: webhook.uuid,
  };
};

/** Each page at its address, and what is there once it has all that it shows. */
const pagesOf = (made: Awaited<ReturnType<typeof furnish>>) =>
  ({
    inbox: ['inbox/all', 'Zoë'],
    conversation: [`inbox/all/${made.robin}`, 'The blue one, see'],
    snoozed: ['inbox/snoozed', ''],
    search: ['search?q=lamp', 'came without'],
    leads: ['leads', 'Robin Example'],
    lead: [`leads?lead=${made.lead}`, 'Firefox on Linux'],
    reports: ['reports', ''],
    keywords: ['keywords', 'refund'],
    profile: ['settings/profile', ''],
    security: ['settings/security', 'Chrome 140'],
    replies: ['settings/replies', 'Delivery times'],
    team: ['settings/team', 'Alan'],
    widgets: ['widgets', 'Help pages'],
    studio: [`widgets/${made.widget}`, ''],
    workflows: ['workflows', 'Orders'],
    workflow: [`workflows/${made.workflow}`, 'Hand over'],
    webhooks: ['webhooks', 'crm.example.com'],
    webhook: [`webhooks/${made.webhook}`, 'crm.example.com'],
    tokens: ['settings/tokens', 'Order import'],
    account: ['settings/account', ''],
    audit: ['settings/audit', 'Grace'],
    'not-found': ['nowhere', ''],
  }) as const;

it('looks as its reference pictures show it, page by page', { timeout: 600_000 }, async () => {
  const time = new SteadyTime();
  const console = await startConsole(openBrowser, { RATE_LIMIT: 'off' });
  const pages = Object.entries(pagesOf(await furnish(console, time)));
  const pictures = new ReferencePictures(new URL('../pictures', import.meta.url));
  const faults: string[] = [];

  const shoot = async (page: Page, name: string) => {
    await page.mouse.move(2, 2);
    const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    const fault = isComparable && pictures.compare(name, picture);
    if (fault) faults.push(fault);
  };
  /** What can be seen stands still once nothing is asked for any more. */
  const settle = async (page: Page, text: string) => {
    await page.getByRole('heading').first().waitFor();
    if (text !== '') await page.getByText(text).filter({ visible: true }).first().waitFor();
    await page.waitForLoadState('networkidle');
  };
  const open = async (locale: string) => {
    const page = await console.open('settings/profile', {
      locale,
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      viewport: { width: 1024, height: 768 },
    });
    await time.hold(page);
    // As a script does it: the policy refuses styles in the page.
    await page.addInitScript((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      document.adoptedStyleSheets.push(sheet);
    }, HIDDEN);
    await page.reload();
    return page;
  };
  const inEachLook = async (page: Page, name: string, widths: readonly (keyof typeof HEIGHTS)[]) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: HEIGHTS[width] });
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        await shoot(page, `${name}.${width}-${colorScheme}`);
      }
    }
  };
  const visitAll = async (page: Page, done: (name: string) => Promise<void>) => {
    for (const [name, [path, text]] of pages) {
      await page.goto(`${console.url}/console/${path}`);
      await settle(page, text);
      await done(name);
    }
  };

  const page = await open('en');
  await settle(page, '');
  await inEachLook(page, 'sign-in', [360, 1024, 1440]);
  await console.signIn(page);
  await page.getByRole('heading', { name: 'Profile' }).waitFor();
  await visitAll(page, (name) => inEachLook(page, name, [360, 1024, 1440]));

  const arabic = await open('ar');
  await arabic.context().addCookies(await page.context().cookies());
  await visitAll(arabic, (name) => shoot(arabic, `${name}.1024-ar`));

  // As a text, which is told whole.
  expect([...faults, ...(isComparable ? pictures.leftOver() : [])].join('\n')).toBe('');
});
