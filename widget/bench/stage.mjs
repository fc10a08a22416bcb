/** What the measurements are taken on: a server of its own, a customer's page, a real Chromium. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { findBrowser } from '../test/find-browser.mjs';

const MAIN = fileURLToPath(new URL('../../server/dist/bundle/main.js', import.meta.url));

/** Parlor on an empty database; gives its address and the first widget’s token. @param {Record<string, string>} more settings */
export async function startServer(more = {}) {
  const data = await mkdtemp(join(tmpdir(), 'parlor-bench-'));
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: data, LOG_LEVEL: 'warn', RATE_LIMIT: 'off', ...more },
    stdio: ['ignore', 'pipe', 2],
  });
  let token = '';
  for await (const line of createInterface({ input: child.stdout })) {
    token ||= /data-token="(\w+)"/.exec(line)?.[1] ?? '';
    const [, url] = /^Parlor is ready: (\S+)\/$/.exec(line) ?? [];
    if (!url) continue;
    const stop = async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await rm(data, { recursive: true, force: true });
    };
    return { url, token, stop };
  }
  throw new Error('the server did not start');
}

/** A page with a heading, text and a picture to paint, with the widget's tag and without. */
async function servePage(tag) {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="400"><rect width="800" height="400" fill="#a8482b"/><circle cx="400" cy="200" r="120" fill="#ffd98a"/></svg>`;
  const host = createServer((request, response) => {
    if (request.url === '/picture.svg') {
      response.writeHead(200, { 'Content-Type': 'image/svg+xml' });
      return response.end(picture);
    }
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    const text = '<p>We throw the shades, turn the feet and wire every lamp ourselves.</p>'.repeat(20);
    return response.end(
      `<!doctype html><html lang="en"><head><title>A customer</title><link rel="icon" href="data:,">
      ${request.url === '/with' ? tag : ''}</head><body><h1>Light for the end of the day</h1>
      <img src="/picture.svg" width="800" height="400" alt="">${text}</body></html>`,
    );
  });
  await new Promise((done) => host.listen(0, '127.0.0.1', done));
  const stop = () => {
    host.closeAllConnections();
    host.close();
  };
  return { address: `http://127.0.0.1:${host.address().port}`, stop };
}

const BROWSER = {
  executablePath: findBrowser(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
};

/**
 * A browser as visitors have it: what it keeps between visits (files, and what it has compiled of them) is on disk.
 * The contexts of `openStage` are private windows, which keep no compiled scripts.
 */
export async function openVisitor() {
  const profile = await mkdtemp(join(tmpdir(), 'parlor-bench-visitor-'));
  const context = await chromium.launchPersistentContext(profile, BROWSER);
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { context, close };
}

export async function openStage() {
  const server = await startServer();
  const tag = `<script src="${server.url}/widget.js" data-token="${server.token}" async></script>`;
  const page = await servePage(tag);
  const browser = await chromium.launch(BROWSER);
  return {
    browser,
    address: page.address,
    token: server.token,
    stop: async () => {
      await browser.close();
      page.stop();
      await server.stop();
    },
  };
}
