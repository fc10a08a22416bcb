import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect, createServer, type Socket } from 'node:net';
import mongoose from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { startGate } from '../../test/database-gate.ts';
import { failOnClosedSockets } from './closed-sockets.ts';

failOnClosedSockets();

const require = createRequire(createRequire(import.meta.url).resolve('mongoose'));
const { Connection } = require('mongodb/lib/cmap/connection.js');

const write = (socket: Socket): Promise<void> =>
  Connection.prototype.writeCommand.call(
    { socket },
    { toBin: async () => [Buffer.from('command')] },
    {
      agreedCompressor: 'none',
    },
  );

/** A socket of ours, and how many listeners it had. */
const openSocket = async (): Promise<Socket> => {
  const server = createServer((socket) => socket.resume().on('error', () => undefined)).listen(
    0,
    '127.0.0.1',
  );
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
};

it('fails a command whose socket is closing, or has closed, and lets others through', async () => {
  const socket = await openSocket();
  const listeners = socket.listenerCount('close');
  await write(socket);
  expect(socket.listenerCount('close')).toBe(listeners);
  socket.destroy();
  await expect(write(socket)).rejects.toThrow('closed');
  expect(socket.closed).toBe(true);
  await expect(write(socket)).rejects.toThrow('closed');
});

it('finds the database again after its sockets were cut, however often', async () => {
  const gate = await startGate();
  const connection = await mongoose
    .createConnection(`mongodb://127.0.0.1:${gate.port}/`, {
      directConnection: true,
      dbName: 'parlor_test_cuts',
      heartbeatFrequencyMS: 500,
      serverSelectionTimeoutMS: 10_000,
    })
    .asPromise();
  onTestFinished(() => connection.close());
  const ask = () => connection.collection('none').findOne({});
  let goesOn = true;
  const load = Array.from({ length: 8 }, async () => {
    while (goesOn) await ask().catch(() => undefined);
  });
  for (let round = 0; round < 12; round++) {
    gate.shut();
    await new Promise((resolve) => setTimeout(resolve, 300));
    gate.reopen();
    expect(await ask()).toBeNull();
  }
  goesOn = false;
  await Promise.all(load);
});
