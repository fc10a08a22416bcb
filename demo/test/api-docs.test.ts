import { expect, it } from 'vitest';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { PATIENT } from '../../widget/test/customer-page.ts';

const openBrowser = useBrowser();

it('shows every route, sends a request from the page, and asks no other server', async () => {
  const server = await startServerProcess(await serverSettings());
  // The reader of documents is a page of others' making, and takes its time to start.
  const browser = await openBrowser({ viewport: { width: 1280, height: 900 } }, { watched: false });
  const page = await browser.newPage();
  const strangers: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(server.url) && !/^(data|blob):/.test(url)) strangers.push(url);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });

  await page.goto(`${server.url}/api/v1/docs`);
  // A browser without a window asks for no icon by itself.
  const icon = await page.locator('link[rel=icon]').getAttribute('href');
  const shown = await page.evaluate(async (source) => {
    const image = new Image();
    image.src = source as string;
    await image.decode();
    return image.naturalWidth > 0;
  }, icon);
  expect(shown).toBe(true);
  const document = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  for (const path of ['/api/v1/leads/stats/', '/api/v1/webhooks/{uuid}/test/']) {
    expect(document.paths).toHaveProperty([path]);
  }
  // Each section lists its routes with their methods.
  const listed = page.locator('a', { hasText: /^\s*(get|post|put|patch|delete)\s*\//i });
  const count = Object.values(document.paths).flatMap((path) =>
    Object.keys(path).filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method)),
  ).length;
  await expect.poll(() => listed.count(), PATIENT).toBe(count);

  await page
    .getByRole('button', { name: /Test Request/ })
    .first()
    .click();
  const runner = page.getByRole('dialog');
  await runner.getByRole('button', { name: /^Send/ }).first().click();
  await expect.poll(() => runner.innerText(), PATIENT).toContain('201 Created');
  expect(await runner.innerText()).toContain('User registered successfully.');
  expect([strangers, complaints]).toEqual([[], []]);
});
