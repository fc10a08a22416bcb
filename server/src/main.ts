import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { type Config, ConfigError, isTrial, loadConfig } from './config.ts';
import { DatabaseError } from './database/connect.ts';
import { createDemoAccount, type DemoAccount } from './demo-account.ts';
import { createLog } from './log.ts';
import { startServer } from './server.ts';

/** What a first-time owner needs to go on, to be copied from the terminal. */
const introduction = (url: string, { username, password, token, widgetToken }: DemoAccount): string =>
  [
    'Parlor made an account for you to try. This is shown only once:',
    '',
    `  address     ${url}/demo/`,
    `  username    ${username}`,
    `  password    ${password}`,
    `  API token   ${token}`,
    `  script tag  <script src="${url}/widget.js" data-token="${widgetToken}" async></script>`,
    '',
    '',
  ].join('\n');

/** One clear line and exit 1 for what the operator can mend; anything else is a defect and shows its stack. */
const giveUp = (error: unknown): never => {
  const isClear = error instanceof ConfigError || error instanceof DatabaseError;
  process.stderr.write(isClear ? `Parlor can't start: ${error.message}\n` : `${(error as Error).stack}\n`);
  process.exit(1);
};

/** A process that can't go on ends: every promise is kept by the database, and the next start goes on from there. */
const end = (log: Logger, err: Error): never => {
  log.fatal({ err }, 'a defect ends the process');
  process.exit(1);
};

/** All of what runs may take to stop, the database included. */
const STOP_TIMEOUT_MS = 30_000;

const start = async (config: Config, log: Logger): Promise<void> => {
  const server = await startServer(config, log);
  void server.died.then((error) => {
    log.fatal({ err: error }, 'the database ended');
    process.stderr.write(`Parlor ends: ${error.message}\n`);
    process.exit(1);
  });
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      setTimeout(() => {
        process.stderr.write(`Parlor ends: stopping took longer than ${STOP_TIMEOUT_MS / 1_000} s\n`);
        process.exit(1);
      }, STOP_TIMEOUT_MS);
      server.stop().then(() => process.exit(0), giveUp);
    });
  }
  const demo = isTrial(config) ? await createDemoAccount(server.services) : undefined;
  if (demo) process.stdout.write(introduction(server.url, demo));
  process.stdout.write(`Parlor is ready: ${server.url}/\n`);
};

// While little happens V8 collects the whole heap for every tenth that it has grown by, and takes both cores of a
// small machine for some 100 ms to do so. Half of it is seldom enough, and what a busier server has anyway.
setFlagsFromString('--heap-growing-percent=50');

try {
  const config = loadConfig(process.env);
  const log = createLog(config.LOG_LEVEL);
  // A rejection that nobody handles comes here, too.
  process.on('uncaughtException', (error) => end(log, error));
  await start(config, log);
} catch (error) {
  giveUp(error);
}
