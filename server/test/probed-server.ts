import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';
import { remoteApp } from './remote-app.ts';
import { MAIN, serverSettings, startServerProcess } from './server-process.ts';

const THREAD_PROBE = fileURLToPath(new URL('./thread-probe.mjs', import.meta.url));

/** What its numbers are asked for with. */
export const METRICS_TOKEN = 'a-token-for-the-numbers-only';

/** A server and a look at how long one turn of its threads' event loops took since the last look. */
export const startProbed = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlor-probe-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const probe = join(folder, 'probe');
  const env = {
    ...(await serverSettings()),
    ...{ RATE_LIMIT: 'off', REGISTRATION: 'open', METRICS_TOKEN, THREAD_PROBE: probe },
  };
  const server = await startServerProcess(env, [process.execPath, '--import', THREAD_PROBE, MAIN]);
  const threads = inject('isRealMongodb') ? ['main'] : ['main', 'database'];
  const read = (thread: string) =>
    new Promise<number>((resolve, reject) => {
      let text = '';
      connect(`${probe}-${thread}`)
        .setEncoding('utf8')
        .on('data', (data: string) => {
          text += data;
        })
        .on('end', () => resolve(Number(text)))
        .on('error', reject);
    });
  const longestTurnMs = async () => Math.max(...(await Promise.all(threads.map(read))));
  return { app: remoteApp(server.url), url: server.url, printed: server.stdout, longestTurnMs };
};
