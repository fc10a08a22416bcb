import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import mongoose from 'mongoose';
import { inject, onTestFinished } from 'vitest';

/** The run's database behind a port that can be shut. */
export const startGate = async (atEnd: (end: () => void) => void = onTestFinished) => {
  const [, host = ''] = /^mongodb:\/\/([^/]+)/.exec(inject('mongodbUrl')) ?? [];
  const [name = '', port = '27017'] = decodeURIComponent(host).split(':');
  const target = name.startsWith('/') ? { path: name } : { host: name, port: Number(port) };
  const open = new Set<Socket>();
  let isShut = false;
  let last: RegExp | undefined;
  let isLastLost = true;
  let staysOpen = false;
  let held: RegExp | undefined;
  let heldCount = 0;
  const shut = () => {
    isShut = true;
    for (const socket of open) socket.destroy();
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (isShut) return void socket.destroy();
    const inner = connect(target);
    inner.on('error', () => socket.destroy());
    inner.on('close', () => socket.destroy());
    socket.on('close', () => {
      open.delete(socket);
      inner.destroy();
    });
    open.add(socket);
    socket.on('data', (chunk) => {
      if (held?.test(chunk.toString('latin1'))) return void heldCount++;
      if (!last?.test(chunk.toString('latin1'))) return void inner.write(chunk);
      last = undefined;
      if (isLastLost) return void shut();
      inner.unpipe(socket);
      inner.once('data', () => (staysOpen ? socket.destroy() : shut()));
      inner.resume();
      inner.write(chunk);
    });
    inner.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => void server.close());
  return {
    port: (server.address() as AddressInfo).port,
    shut,
    /** Shuts with the next command that fits, which does not get through. @param command matched as latin1 */
    shutAt: (command: RegExp) => {
      last = command;
      isLastLost = true;
      staysOpen = false;
    },
    /** Shuts once the next command that fits was done, whose answer does not get through. */
    shutAfter: (command: RegExp) => {
      last = command;
      isLastLost = false;
      staysOpen = false;
    },
    /** Loses the answer of the next command that fits, and its connection; all others stay. */
    cutAfter: (command: RegExp) => {
      last = command;
      isLastLost = false;
      staysOpen = true;
    },
    /** From now on no command that fits gets through; connections stay. @returns how many have been held */
    hold: (command: RegExp) => {
      held = command;
      return () => heldCount;
    },
    reopen: () => {
      isShut = false;
    },
  };
};

/** A database of a test's own behind such a port, and the settings of a server that uses it. It is gone at the end. */
export const startGatedDatabase = async () => {
  const gate = await startGate();
  const dbName = `parlor_test_${randomUUID().slice(0, 8)}`;
  const database = await mongoose.createConnection(inject('mongodbUrl'), { dbName }).asPromise();
  onTestFinished(async () => {
    await database.dropDatabase();
    await database.close();
  });
  const settings = {
    MONGODB_URL: `mongodb://127.0.0.1:${gate.port}/${dbName}?directConnection=true`,
    SECRET_KEY: 'a secret key for the tests only, 40 long',
  };
  return { gate, settings, database };
};
