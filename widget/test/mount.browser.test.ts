import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { expect, it, onTestFinished } from 'vitest';
import { owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { useBrowser } from './browser.ts';
import { PATIENT, visit } from './customer-page.ts';

const openBrowser = useBrowser();
const WIDGET = fileURLToPath(new URL('..', import.meta.url));
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };

const MAIN = (server: string, token: string) => `
import { mount, type Parlor } from '@parlor/widget';

const given = { server: '${server}', token: '${token}', locale: 'en' };
// As a page without types may call it.
const parlor: Parlor = mount(location.search ? ({ token: '${token}' } as typeof given) : given);
const stop: () => void = parlor.on('message:sent', ({ uuid, body }) => {
  document.title = \`\${uuid.length} \${body.toUpperCase()}\`;
});
parlor.on('unread', (count) => count.toFixed());
// @ts-expect-error there is no such event
parlor.on('nonsense', stop);
// @ts-expect-error a token is needed
() => mount({ server: '' });
`;

/** A project with the package in it as npm would install it: what \`files\` names, and no dependency. */
const makeProject = (server: string, token: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'parlor-bundler-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const installed = join(folder, 'node_modules/@parlor/widget');
  mkdirSync(installed, { recursive: true });
  const { files } = JSON.parse(readFileSync(join(WIDGET, 'package.json'), 'utf8'));
  for (const name of ['package.json', ...files])
    cpSync(join(WIDGET, name), join(installed, name), { recursive: true });
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
  };
  const texts = {
    'package.json': JSON.stringify({ name: 'shop', type: 'module' }),
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['main.ts'] }),
    'main.ts': MAIN(server, token),
    'index.html':
      '<!doctype html><html lang="en"><title>A shop</title><link rel="icon" href="data:,"><h1>A shop</h1><script type="module" src="/main.ts"></script>',
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  return folder;
};

it('is mounted by a page of a bundler, with types, and the chat as a file of its own', async () => {
  const server = await startServerProcess(await serverSettings());
  const { widget, rest } = await owner(server.url);
  const folder = makeProject(server.url, widget);
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', folder], { stdio: 'pipe' });
  await build({ root: folder, logLevel: 'error', configFile: false });

  const asked: string[] = [];
  const host = createServer((request, response) => {
    const { pathname } = new URL(request.url as string, 'http://localhost');
    const path = pathname === '/' ? '/index.html' : pathname;
    asked.push(path);
    response.setHeader('Content-Type', TYPES[extname(path)] ?? 'text/plain');
    response.end(readFileSync(join(folder, 'dist', path)));
  });
  await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
  onTestFinished(() => void host.closeAllConnections());
  onTestFinished(() => void host.close());
  const { port } = host.address() as AddressInfo;

  const tab = await visit(await openBrowser(), `http://127.0.0.1:${port}/`);
  await tab.launcher.waitFor();
  expect(asked.filter((path) => /chat/.test(path))).toEqual([]);
  await tab.launcher.click();
  await tab.say('hello');
  await tab.message('hello').getByText('Sent').waitFor();
  expect(asked.filter((path) => /chat/.test(path))).toHaveLength(1);
  expect(await tab.page.title()).toBe('36 HELLO');
  expect((await rest('GET', '/api/v1/messages/')).json).toMatchObject([{ body: 'hello' }]);
  expect(tab.complaints).toEqual([]);

  const without = await visit(await openBrowser(), `http://127.0.0.1:${port}/?without-server`);
  await expect
    .poll(() => without.complaints, PATIENT)
    .toEqual(['Parlor: mount needs a server, such as https://chat.example.com/']);
});
