import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { appendFile, readdir } from 'node:fs/promises';
import { get, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { serverSettings, startServerProcess } from './server-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIST = join(ROOT, 'widget/dist');
const HOURS = 3_600_000;

/** Asks as a browser does, and leaves the bytes as they came. */
const ask = async (
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }> => {
  const [response] = await once(get(url, { headers }), 'response');
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
};

const manifestOf = (dist: string): { chat: string; files: string[] } =>
  JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8'));

it('serves the loader for minutes and hashed files for ever, precompressed, to any site', async () => {
  const { url } = await startServerProcess(await serverSettings());
  const from = { Origin: 'https://lamps.example' };
  const { chat, files } = manifestOf(DIST);
  const { 'cache-control': loaderCache } = (await ask(`${url}/widget.js`, from)).headers;
  expect(loaderCache).toMatch(/^public, max-age=(\d{1,3}), stale-while-revalidate=\d+$/);

  for (const file of files) {
    const address = `${url}/${file === 'loader.js' ? 'widget.js' : file.replace('assets/', 'widget/')}`;
    const plain = readFileSync(join(DIST, file));
    const etags = new Set<unknown>();
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['identity', undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const { status, headers, bytes } = await ask(address, { ...from, 'Accept-Encoding': accepted });
      expect(status, address).toBe(200);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': file === 'loader.js' ? loaderCache : 'public, max-age=31536000, immutable',
        'content-length': String(bytes.length),
        'content-type': 'text/javascript; charset=utf-8',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      });
      expect(headers['content-encoding']).toBe(encoding);
      expect(headers.vary).toContain('Accept-Encoding');
      expect(decode(bytes).equals(plain), `${address} as ${accepted}`).toBe(true);
      // The build's own bytes: the server compresses nothing while visitors wait.
      if (encoding) {
        const built = readFileSync(join(DIST, `${file}.${encoding === 'br' ? 'br' : 'gz'}`));
        expect(bytes.equals(built)).toBe(true);
      }
      const again = await ask(address, { 'Accept-Encoding': accepted, 'If-None-Match': `${headers.etag}` });
      expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, headers.etag]);
      etags.add(headers.etag);
    }
    expect(etags.size).toBe(3);
  }
  for (const missing of ['nothing-here.js', `${chat}.map`, '../loader.js', '..%2fmanifest.json']) {
    expect((await ask(`${url}/widget/${missing}`)).status, missing).toBe(404);
  }
});

it('still serves the files of the build before for a day after a deploy, over restarts', {
  timeout: 120_000,
}, async () => {
  // A deploy is a new build in the same folder and a new process.
  const root = mkdtempSync(join(tmpdir(), 'parlor-deploy-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const part of [
    'server/package.json',
    'server/dist',
    'server/embedded-mongodb/dist',
    'demo/site',
    'shared',
    'widget',
    'tsconfig.base.json',
  ]) {
    cpSync(join(ROOT, part), join(root, part), {
      recursive: true,
      filter: (path) => !/node_modules|(shared|widget).dist/.test(path),
    });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  const dist = join(root, 'widget/dist');
  const build = async (color: string): Promise<string> => {
    await appendFile(join(root, 'widget/src/shell/shell.css'), `.deploy { color: ${color}; }\n`);
    // Its exit code tells of budgets, and the line above may be over one.
    spawnSync(process.execPath, [join(root, 'widget/build.mjs')], { stdio: 'ignore' });
    return manifestOf(dist).chat;
  };
  const settings = await serverSettings();
  const served = async (...files: string[]): Promise<number[]> => {
    const server = await startServerProcess(settings, [
      process.execPath,
      join(root, 'server/dist/bundle/main.js'),
    ]);
    const loader = (await ask(`${server.url}/widget.js`)).bytes.toString();
    expect(loader).toContain(files.at(-1));
    const answers = await Promise.all(
      files.map((file) => ask(`${server.url}/widget/${file}`, { 'Accept-Encoding': 'br' })),
    );
    for (const { status, headers } of answers)
      if (status === 200) expect(headers['content-encoding']).toBe('br');
    await server.end('SIGTERM');
    return answers.map(({ status }) => status);
  };
  /** As if so much time had passed since the file was last touched. */
  const age = async (file: string, time: number): Promise<void> => {
    const then = new Date(Date.now() - time);
    for (const name of await readdir(join(dist, 'assets'))) {
      if (name.startsWith(file)) utimesSync(join(dist, 'assets', name), then, then);
    }
  };

  const first = await build('#010101');
  expect(await served(first)).toEqual([200]);
  // Served for a month before it is replaced: the day begins with the deploy, not with the build.
  await age(first, 30 * 24 * HOURS);
  const second = await build('#020202');
  expect(second).not.toBe(first);
  expect(await served(first, second)).toEqual([200, 200]);
  // A day and what the loader may be behind later, the next deploy clears it away; the one before stays.
  await age(first, 25 * HOURS);
  const third = await build('#030303');
  expect(await served(first, second, third)).toEqual([200, 200, 200]);
  await age(first, 49 * HOURS);
  const fourth = await build('#040404');
  expect(await served(first, second, third, fourth)).toEqual([404, 200, 200, 200]);
});
