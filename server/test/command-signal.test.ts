import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listenForCommands } from '../src/cli/command-socket.ts';
import { spawnCommand } from './command-line.ts';
import { temporaryFolder } from './temporary-folder.ts';

it.skipIf(process.platform === 'win32')(
  'a command that a server runs leaves no half of a file where a signal ends it',
  { timeout: 60_000 },
  async () => {
    const DATA_DIR = await temporaryFolder();
    const server = await listenForCommands(DATA_DIR);
    onTestFinished(() => void server.close());
    server.on('connection', (socket) => void socket.write('{"write":"a line with a secret"}\n'));
    const { child, result } = spawnCommand({ DATA_DIR }, ['export', 'ada', join(DATA_DIR, 'ada.jsonl')]);
    const files = async () => (await readdir(DATA_DIR)).filter((name) => name.startsWith('ada'));
    await expect.poll(files, { timeout: 30_000 }).toEqual(['ada.jsonl.partial']);
    child.kill('SIGTERM');
    await result;
    expect([child.signalCode, await files()]).toEqual(['SIGTERM', []]);
  },
);
