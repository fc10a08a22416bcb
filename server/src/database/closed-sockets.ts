import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { mongo } from 'mongoose';

interface DriverConnection {
  socket: Socket;
  writeCommand(command: unknown, options: unknown): Promise<void>;
}

/**
 * Lets a command fail whose socket closes while it is written. The driver (mongodb 7.8 and 7.9) waits for `drain`, which never
 * comes of a closed socket: the command hangs, and a monitor never finds its database again. It happens where a proxy closes
 * connections as soon as they are made, in front of a database that is down.
 */
export const failOnClosedSockets = (): void => {
  const require = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const { Connection } = require('mongodb/lib/cmap/connection.js') as {
    Connection: { prototype: DriverConnection };
  };
  const { writeCommand } = Connection.prototype;
  if (writeCommand === patched) return;
  write = writeCommand;
  Connection.prototype.writeCommand = patched;
};

/** The driver's own. */
let write: DriverConnection['writeCommand'];

const patched = function (this: DriverConnection, command: unknown, options: unknown): Promise<void> {
  const { socket } = this;
  return new Promise((resolve, reject) => {
    const closed = () => reject(new mongo.MongoNetworkError('the connection has closed'));
    if (socket.closed) return closed();
    socket.once('close', closed);
    write
      .call(this, command, options)
      .finally(() => socket.off('close', closed))
      .then(resolve, reject);
  });
};
