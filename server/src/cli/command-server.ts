import type { Socket } from 'node:net';
import type { Services } from '../compose.ts';
import { DatabaseError } from '../database/database-error.ts';
import type { Secrets } from '../platform/secrets.ts';
import { accountCommands } from './account.commands.ts';
import { UsageError } from './arguments.ts';
import { backupCommands } from './backup.commands.ts';
import { findCommand, type ServiceCommand } from './command.ts';
import {
  ALIVE_EVERY_MS,
  type CallerFrame,
  frameSender,
  framesOf,
  type KeyFingerprints,
  type ServerFrame,
} from './command-frames.ts';
import { listenForCommands } from './command-socket.ts';
import { copyCommands } from './copy.commands.ts';
import { keysCommands } from './keys.commands.ts';
import { memberCommands } from './member.commands.ts';
import type { Terminal } from './terminal.ts';

/** The commands that run in the server where one runs. */
export const SERVICE_COMMANDS: Readonly<Record<string, ServiceCommand>> = {
  ...accountCommands,
  ...memberCommands,
  ...copyCommands,
  ...keysCommands,
  ...backupCommands,
};

const PROGRESS_EVERY_MS = 200;

/** How long a command that is cut off may take to clear away what it has half done. */
const ENDS_WITHIN_MS = 3_000;

/** The terminal of a caller in another process. */
const callersTerminal = (
  socket: Socket,
  frames: AsyncGenerator<CallerFrame, undefined>,
  stopped: AbortSignal,
) => {
  const send = frameSender<ServerFrame>(socket);
  let shown = 0;
  const terminal: Terminal = {
    print: (text) => void send({ print: text }).catch(() => undefined),
    progress: (state) => {
      stopped.throwIfAborted();
      if (Date.now() - shown < PROGRESS_EVERY_MS) return;
      shown = Date.now();
      send({ progress: state }).catch(() => undefined);
    },
    async *lines() {
      await send({ wants: 'lines' });
      for (;;) {
        const { value: frame } = await frames.next();
        if (!frame) throw new Error('the other side has gone');
        if ('end' in frame) return;
        if ('line' in frame) yield frame.line;
      }
    },
    write: (line) => send({ write: line }),
    stopped,
  };
  return { send, terminal };
};

/** Resolves when the caller is still there; one that got no answer in time has gone. */
const stillThere = (socket: Socket, hearsAlive: boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    const alive: ServerFrame = { alive: true };
    // Before a frame a space means nothing.
    const sent = hearsAlive ? `${JSON.stringify(alive)}\n` : ' ';
    socket.write(sent, (error) => (error ? reject(error) : resolve()));
  });

const shownKeys = ({ current, previous }: KeyFingerprints): string => {
  const named = [current && `SECRET_KEY ${current}`, previous && `SECRET_KEY_PREVIOUS ${previous}`];
  return named.filter(Boolean).join(' and ');
};

/** What follows from a command is the server's doing by its own keys. @throws DatabaseError where the caller has others */
const checkKeys = (given: KeyFingerprints, secrets: Secrets): void => {
  const { keyFingerprint: current, previousKeyFingerprint: previous } = secrets;
  const isSame = (one: string | undefined, own: string | undefined) => one === undefined || one === own;
  if (isSame(given.current, current) && isSame(given.previous, previous)) return;
  throw new DatabaseError(
    `the running server has other keys: ${shownKeys({ current, previous })}${previous ? '' : ' alone'}, and here ` +
      `${shownKeys(given)} is set. Restart it with these first`,
  );
};

const answer = async (socket: Socket, services: Services, serverStops: AbortSignal): Promise<void> => {
  const frames = framesOf<CallerFrame>(socket);
  const ended = new AbortController();
  socket.once('close', () => ended.abort(new Error('the command was ended')));
  const stopped = AbortSignal.any([serverStops, ended.signal]);
  const { send, terminal } = callersTerminal(socket, frames, stopped);
  let hearsAlive = false;
  const alive = setInterval(() => {
    // To who doesn't read, what waits tells the same.
    if (hearsAlive && !socket.writableNeedDrain) send({ alive: true }).catch(() => undefined);
  }, ALIVE_EVERY_MS);
  try {
    const { value: first } = await frames.next();
    const asked = first && 'words' in first ? first : undefined;
    const words = asked?.words ?? [];
    hearsAlive = asked?.hearsAlive === true;
    const found = findCommand(SERVICE_COMMANDS, words);
    if (!found) throw new UsageError('the running server does not know this command: restart it');
    const [command, args] = found;
    if (command.byKeys) checkKeys(asked?.keys ?? {}, services.secrets);
    const run = command.prepare([...args]);
    await stillThere(socket, hearsAlive);
    services.log.info({ command: words.slice(0, words.length - args.length).join(' ') }, 'command');
    await run(services, terminal);
    await send({ done: true });
  } catch (error) {
    const isUsage = error instanceof UsageError;
    if (!isUsage) services.log.warn({ err: error }, 'command failed');
    const isTold = isUsage || error instanceof DatabaseError;
    const text = isTold ? error.message : `the running server could not do it: ${(error as Error).message}`;
    await send({ error: text, isUsage }).catch(() => undefined);
  } finally {
    clearInterval(alive);
    socket.end();
    // What is still on its way is of no use, and while nobody reads it the connection's end is not seen.
    void frames.return(undefined).then(() => socket.resume());
  }
};

/**
 * Runs commands for the command line while this server has the embedded database, on its own services: so its caches
 * and its open sockets follow.
 */
export class CommandServer {
  readonly #dataDir: string;
  readonly #services: Services;
  readonly #running = new Map<Socket, Promise<void>>();
  readonly #stopped = new AbortController();
  #server: Awaited<ReturnType<typeof listenForCommands>> | undefined;

  constructor(dataDir: string, services: Services) {
    this.#dataDir = dataDir;
    this.#services = services;
  }

  /** Without a socket, as on some network drives, Parlor runs all the same: commands wait until it is stopped. */
  async start(): Promise<void> {
    try {
      this.#server = await listenForCommands(this.#dataDir);
    } catch (error) {
      this.#services.log.warn(
        { err: error },
        'no socket for commands: they have to wait until Parlor is stopped',
      );
    }
    this.#server?.on('connection', (socket) => {
      const running = answer(socket, this.#services, this.#stopped.signal).finally(() =>
        this.#running.delete(socket),
      );
      this.#running.set(socket, running);
    });
  }

  /** Takes no more; what runs may finish, and is cut off after `timeoutMs`. What does not end then is not waited for. */
  async stop(timeoutMs: number): Promise<void> {
    this.#server?.close();
    let left: NodeJS.Timeout | undefined;
    const isLate = new Promise<void>((resolve) => {
      left = setTimeout(() => {
        for (const socket of this.#running.keys()) socket.destroy();
        this.#stopped.abort(new Error('the server stops'));
        left = setTimeout(resolve, ENDS_WITHIN_MS);
      }, timeoutMs);
    });
    await Promise.race([Promise.all(this.#running.values()), isLate]);
    clearTimeout(left);
  }
}
