import type { Services } from '../compose.ts';
import { createIndexes } from '../create-indexes.ts';
import { connectDatabase, whileAlive } from '../database/connect.ts';
import { DatabaseError } from '../database/database-error.ts';
import { withKnownKeys } from '../jobs/command-keys.ts';
import { type Config, isOnlyProcess, loadConfig } from '../platform/config.ts';
import { createLog } from '../platform/log.ts';
import { keyFingerprint } from '../platform/secrets.ts';
import { askServer } from './ask-server.ts';
import type { ServiceCommand } from './command.ts';
import type { KeyFingerprints } from './command-frames.ts';
import { connectToServer } from './command-socket.ts';
import { LocalTerminal } from './terminal.ts';

/**
 * Runs on the database that the server uses; nothing runs by itself beside it.
 * @param name the command's
 * @throws DatabaseError where there is none, unless it `mayBeNew`
 */
const withServices = async (
  config: Config,
  name: string,
  { mayBeNew, byKeys }: ServiceCommand,
  run: (services: Services) => Promise<void>,
): Promise<void> => {
  // Not needed where a server runs the command.
  const { createServices } = await import('../compose.ts');
  const database = await connectDatabase(config, { mayBeNew: mayBeNew === true });
  try {
    const log = createLog(process.env.LOG_LEVEL === undefined ? 'warn' : config.LOG_LEVEL);
    const { connection, secretKey, embedded } = database;
    const work = createIndexes(config, connection, log)
      .then(() => createServices(config, connection, secretKey, log, embedded))
      .then(async (services) => {
        // A bot's answer asks a language model: that is left to a server.
        await services.answers.stop();
        // What the command changed is told by whoever changed it: a server may be long in coming.
        const work = () =>
          run(services).finally(async () => {
            await services.relay.stop();
            // Nobody waits for what the live channel is told beside that; the database closes below.
            await services.channel.log.settled();
          });
        // What changes or shows the keys asks for those of all others.
        await (byKeys || isOnlyProcess(config) ? work() : withKnownKeys(name, services, work));
      });
    await whileAlive(database, work);
  } finally {
    await database.close();
  }
};

const runningServer = ({ MONGODB_URL, DATA_DIR }: Config) =>
  MONGODB_URL !== ''
    ? undefined
    : connectToServer(DATA_DIR).catch((error: Error) => {
        throw new DatabaseError(`the server on DATA_DIR ${DATA_DIR} can't be reached: ${error.message}`);
      });

const keysOf = ({ SECRET_KEY, SECRET_KEY_PREVIOUS }: Config): KeyFingerprints => ({
  current: SECRET_KEY === '' ? undefined : keyFingerprint(SECRET_KEY),
  previous: SECRET_KEY_PREVIOUS === '' ? undefined : keyFingerprint(SECRET_KEY_PREVIOUS),
});

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A signal after this time waits no longer; before that both may be of one Ctrl-C, which npm passes on. */
const AGAIN_AFTER_MS = 5_000;

/** A command that has not ended by then is ended, whatever it waits for. */
const ENDS_WITHIN_MS = 10_000;

/**
 * Stops a command at a signal, here or in the server that runs it, so that nothing half done is left.
 * @returns what ends that, and by the signal that has come the process: whoever gave it, such as a shell, sees so
 */
const stopAtSignal = (terminal: LocalTerminal): (() => void) => {
  let given: NodeJS.Signals | undefined;
  let since = 0;
  const end = () => {
    for (const signal of SIGNALS) process.off(signal, stop);
    if (given) process.kill(process.pid, given);
  };
  const stop = (signal: NodeJS.Signals) => {
    if (given) {
      if (performance.now() - since >= AGAIN_AFTER_MS) end();
      return;
    }
    given = signal;
    since = performance.now();
    setTimeout(end, ENDS_WITHIN_MS).unref();
    terminal.stop(new Error(`ended by ${signal}`));
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return end;
};

/**
 * Runs a command in the server that has the embedded database open, where there is one: a database of one process is
 * not shared, and its server knows the most about it. Else here, on the same database.
 */
export const runWithServices = async (
  words: readonly string[],
  command: ServiceCommand,
  args: string[],
): Promise<void> => {
  const config = loadConfig(process.env);
  const located = command.located?.(args) ?? args;
  // Before a database is begun, or a server asked.
  const run = command.prepare([...located]);
  const terminal = new LocalTerminal(command.files?.(located) ?? {});
  let endAtSignals: () => void = () => undefined;
  try {
    await terminal.checkFiles();
    const server = await runningServer(config);
    const name = words.slice(0, words.length - args.length);
    const keys = command.byKeys && keysOf(config);
    endAtSignals = stopAtSignal(terminal);
    if (server) await askServer(server, [...name, ...located], terminal, keys);
    else await withServices(config, name.join(' '), command, (services) => run(services, terminal));
    await terminal.finish();
  } finally {
    await terminal.close();
    endAtSignals();
  }
};
