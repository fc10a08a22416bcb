import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { PASSWORD, startConsole } from './console-page.ts';
import { field, said, save, step, tab } from './workflow-page.ts';

/** Workflows in the console: how they are made, and for whom. */

const openBrowser = useBrowser();
const server = useServer();

const HOSTILE = '<img src=x onerror=alert(1)> "quoted"';

/** What the forms make below. */
const NODES = [
  { id: 'Start', type: 'start', greeting: `Hi! ${HOSTILE}`, next: 'Ask' },
  { id: 'Hand over', type: 'handoff', text: 'A colleague will be with you in a moment.' },
  {
    id: 'Ask',
    type: 'question',
    text: 'Which one?',
    save_as: 'which',
    validate: 'choice',
    choices: ['Red', 'Blue'],
    retry_text: 'Red or blue?',
    max_retries: 1,
    on_failure: 'Hand over 2',
    next: 'Sort',
  },
  { id: 'Hand over 2', type: 'handoff', text: 'A colleague will be with you in a moment.' },
  {
    id: 'Sort',
    type: 'condition',
    branches: [{ variable: 'which', operator: 'equals', value: 'Blue', next: 'Message' }],
    else: 'Hand over',
  },
  { id: 'Message', type: 'message', text: 'Blue is sold out, {{which}} or not.', next: 'Answers' },
  {
    id: 'Answers',
    type: 'faq',
    entries: [{ questions: ['When?', 'How long?'], answer: 'Soon.' }],
    threshold: 0.625,
    on_miss: 'Language model',
  },
  {
    id: 'Language model',
    type: 'llm',
    prompt: 'Be kind.',
    model: 'small',
    max_tokens: 200,
    temperature: 0.5,
    on_error: 'Lead',
  },
  {
    id: 'Lead',
    type: 'lead',
    fields: { nickname: '{{name}}', email: '{{email}}', phone_number: '' },
    next: 'End',
  },
  { id: 'End', type: 'end', text: 'Bye.' },
];

/** Adds a node behind the one that is chosen, and gives it a name. */
const add = async (page: Page, type: string, name: string): Promise<void> => {
  await page.getByRole('button', { name: 'Add a step' }).click();
  await page.getByRole('menuitem', { name: type, exact: true }).click();
  await field(page, 'Name of this step').fill(name);
  await page.keyboard.press('Tab');
  await step(page, name).waitFor();
};

it('makes a workflow of each type of node by forms, says what is wrong with it, and tries it unsaved', async () => {
  const { rest, open, signIn } = await startConsole(openBrowser, {}, server());
  const page = await open('workflows', { viewport: { width: 1_440, height: 900 }, reducedMotion: 'reduce' });
  await signIn(page);
  await page.getByText('No workflows yet').waitFor();
  await page.getByRole('button', { name: 'New workflow' }).click();
  await field(page, 'Name').fill(HOSTILE);
  await page.getByLabel('Greeting').check();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
  const [{ uuid }] = (await rest('GET', '/api/v1/workflows/')).json;
  const stored = async () => (await rest('GET', `/api/v1/workflows/${uuid}/`)).json;

  // Each type by its form; what is added comes between its step and what followed that.
  await field(page, 'Greeting').fill(`Hi! ${HOSTILE}`);
  await add(page, 'Question', 'Ask');
  await field(page, 'Text').fill('Which one?');
  await field(page, 'Keep the answer as').fill('which');
  await field(page, 'Kind of answer').selectOption('One of the choices');
  await field(page, 'Choices, one a line').fill('Red\n\nBlue ');
  await field(page, 'When the answer does not fit').fill('Red or blue?');
  await field(page, 'Ask again, times').fill('1');
  await field(page, 'After too many other answers').selectOption('+ Hand over');
  await add(page, 'Condition', 'Sort');
  await field(page, 'What is known as').fill('which');
  await field(page, 'Comparison').selectOption('is');
  await field(page, 'Value').fill('Blue');
  await field(page, 'Then goes on to').selectOption('+ Message');
  await page.getByRole('button', { name: 'Go to Message' }).click();
  await field(page, 'Text').fill('Blue is sold out, {{which}} or not.');
  await field(page, 'Goes on to').selectOption('+ Answers');
  await page.getByRole('button', { name: 'Go to Answers' }).click();
  await field(page, 'Questions that mean the same, one a line').fill('When?\nHow long?');
  await field(page, 'Answer').fill('Soon.');
  await field(page, 'How sure it must be, in percent').fill('62,5');
  await field(page, 'When no entry answers').selectOption('+ Language model');
  await page.getByRole('button', { name: 'Go to Language model' }).click();
  await field(page, 'Instructions').fill('Be kind.');
  await field(page, 'Model').fill('small');
  await field(page, 'Longest answer, in tokens').fill('200');
  await field(page, 'Temperature, 0 to 2').fill('0.5');
  await field(page, 'When the model does not answer').selectOption('+ Lead');
  await page.getByRole('button', { name: 'Go to Lead' }).click();
  await field(page, 'Phone').fill('');
  await field(page, 'Goes on to').selectOption('+ End');
  await page.getByRole('button', { name: 'Go to End' }).click();
  await field(page, 'Text').fill('Bye.');
  await save(page);
  expect((await stored()).nodes).toEqual(NODES);
  await page.getByText('No problems').waitFor();

  // A problem appears where it is, and goes; what is refused is said at its field, and taken back.
  await step(page, 'Message').click();
  await field(page, 'Goes on to').selectOption('Ends here');
  await page.getByText('Problems: 4', { exact: true }).click();
  await page.getByRole('list', { name: 'Problems' }).getByText('Nothing leads here.').first().waitFor();
  await page.getByRole('button', { name: 'Answers When? Answers, problems: 1' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('No problems').waitFor();
  await field(page, 'Text').fill(' ');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This can’t be saved like this. Look at the problems.').waitFor();
  expect(await field(page, 'Text').getAttribute('aria-invalid')).toBe('true');
  await page.getByText('Problems: 1', { exact: true }).waitFor();
  await field(page, 'Text').fill('Sold out.');
  await page.getByText('No problems').waitFor();

  // Tried as it stands here, unsaved; a reload keeps it.
  await tab(page, 'Try').click();
  await said(page, `Hi! ${HOSTILE}`).waitFor();
  const write = async (text: string) => {
    await field(page, 'Write as a visitor').fill(text);
    await page.keyboard.press('Enter');
  };
  await write('x'.repeat(10_001));
  await page.getByText('At most 10,000 characters.').waitFor();
  expect(await field(page, 'Write as a visitor').inputValue()).toHaveLength(10_001);
  await write('Green');
  await said(page, 'Red or blue?').waitFor();
  await page.getByRole('button', { name: 'Blue', exact: true }).click();
  await said(page, 'Sold out.').waitFor();
  await page.getByText('Waits at Answers').waitFor();
  await write('How long is it?');
  await said(page, 'Soon.').waitFor();
  await page.reload();
  await page.getByText('Not saved').waitFor();
  await step(page, 'Message').click();
  expect(await field(page, 'Text').inputValue()).toBe('Sold out.');
});

it('is whole for everybody, in German, from 320 pixels on, in both schemes, from right to left, with 500 nodes', async () => {
  const { rest, open, signIn, join, username } = await startConsole(openBrowser, {}, server());
  const nodes = [
    { id: 'Start', type: 'start', greeting: 'Hallo', next: 'Wohin?' },
    {
      id: 'Wohin?',
      type: 'condition',
      branches: [{ variable: 'x', operator: 'matches', value: '^a', next: 'nirgends' }],
      else: 'Eins',
    },
    { id: 'Eins', type: 'message', text: 'Eins', next: 'Zwei' },
    { id: 'Zwei', type: 'message', text: 'Zwei', next: 'Eins' },
  ];
  const { uuid } = (await rest('POST', '/api/v1/workflows/', { name: 'Bestellungen', nodes })).json;
  for (const [colorScheme, width] of [
    ['light', 320],
    ['dark', 1_440],
  ] as const) {
    const page = await open(`workflows/${uuid}`, {
      viewport: { width, height: 768 },
      colorScheme,
      locale: 'de',
      bypassCSP: true,
      hasTouch: width === 320,
      reducedMotion: 'reduce',
    });
    await field(page, 'Benutzername').fill(username);
    await field(page, 'Passwort').fill(PASSWORD);
    await page.keyboard.press('Enter');
    const fits = async (): Promise<void> => {
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    };
    const check = async (what: string): Promise<void> => {
      expect([what, await axeFaults(page)]).toEqual([what, []]);
      await fits();
    };
    await page.getByText('Probleme: 2', { exact: true }).click();
    await step(page, 'Wohin?').click();
    await page.getByText('Zweig 1: nirgends gibt es nicht.').first().waitFor();
    await check('graph');
    await tab(page, 'Liste').click();
    await tab(page, 'Testen').click();
    await said(page, 'Hallo').waitFor();
    await said(page, 'stopped after 100 steps').waitFor();
    await check('test');
    await tab(page, 'Versionen').click();
    await page.getByText('von ').first().waitFor();
    await tab(page, 'Einstellungen').click();
    await check('settings');
    await page.evaluate(() => {
      document.documentElement.dir = 'rtl';
    });
    await tab(page, 'Schritt').click();
    await page.getByLabel('Name dieses Schritts').waitFor();
    await fits();
  }

  // 500 nodes are drawn, and edited.
  const many = Array.from({ length: 500 }, (_, n) =>
    n === 0
      ? { id: 'n0', type: 'start', next: 'n1' }
      : { id: `n${n}`, type: 'message', text: `Text ${n}`, next: n < 499 ? `n${n + 1}` : null },
  );
  const big = (await rest('POST', '/api/v1/workflows/', { name: 'Many', nodes: many })).json.uuid;
  const page = await open(`workflows/${big}`);
  await signIn(page);
  await step(page, 'n499').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Go to n1' }).click();
  await field(page, 'Text').fill('Changed');
  await save(page);
  expect((await rest('GET', `/api/v1/workflows/${big}/`)).json.nodes[1].text).toBe('Changed');
  await page.getByRole('button', { name: 'Add a step' }).click();
  await page.getByText('A workflow has at most 500 steps.').waitFor();

  await join('hedy', 'operator');
  const hers = await open(`workflows/${uuid}`);
  await signIn(hers, 'hedy');
  await hers.getByText('There is nothing at this address.').waitFor();
});
