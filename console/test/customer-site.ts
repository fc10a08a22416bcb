import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { onTestFinished } from 'vitest';
import type { Way } from '../src/widgets/install-code.ts';

/** A customer's site that shows what it is given. */
export const startSite = async (body: string): Promise<string> => {
  const html = `<!doctype html><html lang="en"><head><title>A shop</title></head><body>${body}</body></html>`;
  const site = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end(html));
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  onTestFinished(() => void site.close());
  return `http://127.0.0.1:${(site.address() as { port: number }).port}`;
};

/** What a way to install puts into a page: the tag itself, or what writes it there. */
export const pageOf = async (way: Way, code: string): Promise<string> => {
  if (way === 'wordpress') return /echo '(.*)';/.exec(code)?.[1] ?? '';
  if (way !== 'react') return code;
  const id = fileURLToPath(new URL('../chat.tsx', import.meta.url));
  const chat = {
    name: 'chat',
    resolveId: (asked: string) => (asked.endsWith('chat.tsx') ? id : undefined),
    load: (asked: string) =>
      asked === id
        ? `${code}\nimport { h, render } from 'preact';\nrender(h(Chat, {}), document.body);`
        : undefined,
  };
  const built = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [chat],
    resolve: { alias: { react: 'preact/hooks' } },
    build: { write: false, lib: { entry: id, formats: ['iife'], name: 'app' } },
  });
  const [{ output }] = built as unknown as [{ output: { code: string }[] }];
  return `<script>${output[0]?.code}</script>`;
};
