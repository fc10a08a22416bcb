/** Runs what may end its process, or has to be ended with it, in a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { asItself } from '../storage/owner.ts';

/**
 * Runs a module of this package with arguments, and hears what it sends; `answer` sends it something. Resolves when it has
 * ended and everything that it sent has come, to how it ended in words. Fails when it can't be started, with the signal's reason when that ends it, and with what
 * `hear` throws, which ends it, too.
 */
export async function runModule<Message>(
  module: string,
  args: string[],
  hear: (message: Message, answer: (message: string) => void) => void,
  signal?: AbortSignal,
): Promise<string> {
  signal?.throwIfAborted();
  // It takes the rights that it needs itself: the owner of a database may have no right to this Node.js.
  const child = asItself(() => fork(module, args, { stdio: 'ignore', execArgv: [] }));
  const failure = new AbortController();
  const ended = AbortSignal.any([failure.signal, ...(signal ? [signal] : [])]);
  const kill = () => child.kill('SIGKILL');
  ended.addEventListener('abort', kill);
  child.on('message', (message) => {
    try {
      hear(message as Message, (text) => child.send(text, () => {}));
    } catch (error) {
      failure.abort(error);
    }
  });
  try {
    await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
  } finally {
    ended.removeEventListener('abort', kill);
  }
  ended.throwIfAborted();
  return child.signalCode ?? `exit code ${child.exitCode}`;
}
