import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { DatabaseError } from '../database/database-error.ts';
import { askServer } from './ask-server.ts';
import { LocalTerminal } from './terminal.ts';

it.skipIf(process.platform === 'win32')(
  'says so when the server has gone before it is told the command',
  async () => {
    const path = join(await temporaryFolder(), 'commands.sock');
    const server = createServer().listen(path);
    onTestFinished(() => void server.close());
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect(path);
    await once(socket, 'connect');
    const [other] = await accepted;
    other.destroy();
    await once(other, 'close');
    const asked = askServer(socket, ['keys', 'rotate'], new LocalTerminal({}));
    const stopped = 'the server was stopped before the command had ended: give it again';
    await expect(asked).rejects.toThrow(new DatabaseError(stopped));
  },
);
