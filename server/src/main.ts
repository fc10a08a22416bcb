import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { toldToOperator } from './database/database-error.ts';
import { type Config, ConfigError, loadConfig } from './platform/config.ts';
import { checkDescriptors } from './platform/descriptors.ts';
import { leave } from './platform/leave.ts';
import { createLog } from './platform/log.ts';
import type { RunningServer } from './server.ts';

/** One clear line and exit 1 for what the operator can mend; anything else is a defect and shows its stack. */
const giveUp = (error: unknown, failed = "Parlor can't start"): void => {
  const told = error instanceof ConfigError ? error.message : toldToOperator(error);
  process.stderr.write(told === undefined ? `${(error as Error).stack}\n` : `${failed}: ${told}\n`);
  leave(1);
};

/** A process that can't go on ends: every promise is kept by the database, and the next start goes on from there. */
const end = (log: Logger, err: Error): void => {
  log.fatal({ err }, 'a defect ends the process');
  leave(1);
};

/** What stops it; the last one comes of a terminal that closes. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** All of what runs may take to stop, the database included. */
const STOP_TIMEOUT_MS = 30_000;

/** Who tells it to stop again after this time waits no longer; before that both may be of one Ctrl-C. */
const AGAIN_AFTER_MS = 5_000;

/** Such as of a leak, or of what will be gone in its next version. */
const NODE_WARNING = 'Node.js warns';

/** Writes to stdout, which may be a pipe that is full, or that nobody reads; resolves to whether it was written. */
const say = (text: string): Promise<boolean> =>
  new Promise((resolve) => process.stdout.write(text, (error) => resolve(!error)));

/** A setting that is wrong is told before the rest of the server, which takes most of a start, is loaded. */
const load = async (config: Config, log: Logger): Promise<RunningServer> => {
  const [{ startServer }, { introduce }] = await Promise.all([
    import('./server.ts'),
    import('./introduction.ts'),
  ]);
  return startServer(config, log, (server) => introduce(server, say));
};

const start = async (config: Config, log: Logger): Promise<void> => {
  process.stdout.on('error', () => undefined);
  const started = load(config, log);
  // From the beginning: a start that is told to stop finishes what it has begun, and shows what only it knows.
  let stoppingSince: number | undefined;
  const endUnstopped = (why: string) => {
    process.stderr.write(`Parlor ends: ${why}\n`);
    leave(1);
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (stoppingSince !== undefined) {
        const isMeant = performance.now() - stoppingSince >= AGAIN_AFTER_MS;
        if (isMeant) endUnstopped('it was told to stop again before it had stopped');
        return;
      }
      stoppingSince = performance.now();
      setTimeout(
        () => endUnstopped(`stopping took longer than ${STOP_TIMEOUT_MS / 1_000} s`),
        STOP_TIMEOUT_MS,
      );
      const stop = (server: RunningServer) =>
        server.stop().then(
          () => leave(0),
          (error) => giveUp(error, 'Parlor did not stop as it should'),
        );
      started.then(stop, giveUp);
    });
  }
  const { url, died } = await started;
  void died.then((error) => {
    log.fatal({ err: error }, 'the database ended');
    endUnstopped(error.message);
  });
  if (stoppingSince === undefined) await say(`Parlor is ready: ${url}/\n`);
};

// While little happens V8 collects the whole heap for every tenth that it has grown by, and takes both cores of a
// small machine for some 100 ms to do so. Half of it is seldom enough, and what a busier server has anyway.
setFlagsFromString('--heap-growing-percent=50');

try {
  const config = loadConfig(process.env);
  checkDescriptors();
  const log = createLog(config.LOG_LEVEL);
  // A rejection that nobody handles comes here, too.
  process.on('uncaughtException', (error) => end(log, error));
  // Node.js would write them as text, between the lines of JSON.
  process.removeAllListeners('warning').on('warning', (warning) => log.warn({ err: warning }, NODE_WARNING));
  await start(config, log);
} catch (error) {
  giveUp(error);
}
