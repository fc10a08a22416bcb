/** The worker thread: the engine, and the servers that listen for its clients. */
import type { Server, Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { dispatcher } from '../command/dispatch.ts';
import { EmbeddedMongodbError } from '../errors/embedded-mongodb-error.ts';
import { Engine } from '../query/engine.ts';
import { type PageBytes, pageBytes } from '../storage/page-bytes.ts';
import { type Address, addressUrl, listenOn } from '../wire/address.ts';
import { Connection } from '../wire/connection.ts';
import { keepSocket } from '../wire/kept-socket.ts';
import { replaceStaleSocketFolder } from '../wire/stale-socket-folder.ts';
import { startMonitors } from './ttl-monitor.ts';

/** What the starting thread passes in. */
export interface WorkerInput {
  dataDir: string;
  addresses: Address[];
  /** The folder of the private socket, when it is one. */
  folder: string | undefined;
  keepExpired: boolean;
}

/** What it may be asked. */
export type WorkerAsk = 'close' | 'heap' | 'hold' | 'pages' | 'readers' | 'release';

/** What the worker says. */
export type WorkerMessage =
  /** `heapLimit`: what the heap may grow to, in bytes. */
  | { ready: true; urls: string[]; heapLimit: number }
  | { ready: false; code: EmbeddedMongodbError['code']; message: string }
  | { heapBytes: number }
  | { pageBytes: PageBytes }
  | { isHolding: true }
  | { closed: true };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const port = parentPort;
if (!port) throw new Error('worker.js is started by openEmbeddedMongodb only');
const send = (message: WorkerMessage) => port.postMessage(message);
const input = workerData as WorkerInput;

try {
  const engine = new Engine(input.dataDir);
  replaceStaleSocketFolder(input.dataDir, input.folder);
  const stopSweep = startMonitors(engine, input);
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  const answer = dispatcher(engine);
  const serve = (server: Server) => {
    servers.push(server);
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      new Connection(socket, answer);
    });
  };
  let stopKeeping = () => {};
  const urls: string[] = [];
  port.on('message', async (ask: WorkerAsk) => {
    if (ask === 'heap') {
      send({ heapBytes: process.memoryUsage().heapUsed });
      return;
    }
    if (ask === 'pages') {
      send({ pageBytes: pageBytes(engine.environment) });
      return;
    }
    if (ask === 'hold') {
      // Nothing is under way: a transaction ends in the turn that it begins in.
      engine.environment.hold();
      send({ isHolding: true });
      return;
    }
    if (ask === 'release') {
      engine.environment.release();
      return;
    }
    if (ask === 'readers') {
      engine.environment.root.readerCheck();
      return;
    }
    stopSweep();
    stopKeeping();
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
    await engine.close();
    send({ closed: true });
    port.close();
  });
  for (const address of input.addresses) {
    const server = await listenOn(address);
    serve(server);
    urls.push(addressUrl(address, server));
  }
  const [home] = input.addresses;
  if (input.folder && home && 'path' in home) stopKeeping = keepSocket(home.path, serve);
  send({ ready: true, urls, heapLimit: getHeapStatistics().heap_size_limit });
} catch (error) {
  const known = error instanceof EmbeddedMongodbError ? error : undefined;
  send({ ready: false, code: known?.code ?? 'WORKER', message: messageOf(error) });
  port.close();
}
