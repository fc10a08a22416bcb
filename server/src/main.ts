import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { toldToOperator } from './database/database-error.ts';
import { type Config, ConfigError, loadConfig } from './platform/config.ts';
import { createLog } from './platform/log.ts';
import type { RunningServer } from './server.ts';

/** One clear line and exit 1 for what the operator can mend; anything else is a defect and shows its stack. */
const giveUp = (error: unknown, failed = "Parlor can't start"): never => {
  const told = error instanceof ConfigError ? error.message : toldToOperator(error);
  process.stderr.write(told === undefined ? `${(error as Error).stack}\n` : `${failed}: ${told}\n`);
  process.exit(1);
};

/** A process that can't go on ends: every promise is kept by the database, and the next start goes on from there. */
const end = (log: Logger, err: Error): never => {
  log.fatal({ err }, 'a defect ends the process');
  process.exit(1);
};

/** All of what runs may take to stop, the database included. */
const STOP_TIMEOUT_MS = 30_000;

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
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      setTimeout(() => {
        process.stderr.write(`Parlor ends: stopping took longer than ${STOP_TIMEOUT_MS / 1_000} s\n`);
        process.exit(1);
      }, STOP_TIMEOUT_MS);
      const stop = async (server: RunningServer) => {
        await server.stop().catch((error) => giveUp(error, 'Parlor did not stop as it should'));
        process.exit(0);
      };
      started.then(stop, giveUp);
    });
  }
  const { url, died } = await started;
  void died.then((error) => {
    log.fatal({ err: error }, 'the database ended');
    process.stderr.write(`Parlor ends: ${error.message}\n`);
    process.exit(1);
  });
  if (!isStopping) await say(`Parlor is ready: ${url}/\n`);
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
