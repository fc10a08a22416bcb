import { WebSocket } from 'ws';

/** How many sockets are being opened at a time. */
const AT_ONCE = 100;

/**
 * @typedef {{ scheme?: string, token: string, counts?: boolean, room: { uuid: string } }} Session
 * @typedef {{ session: Session, socket?: WebSocket, after?: string, onFrame?: (frame: any) => void }} Client
 */

/** Runs `work` for each item, so many at a time. @template T @param {T[]} items @param {(item: T) => Promise<unknown>} work */
export const forEach = async (items, work, atOnce = AT_ONCE) => {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(/** @type {T} */ (items[next++]));
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
};

/** Opens a client's socket; resolves when it is ready. @param {string} url @param {Client} client */
export const open = (url, client) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/realtime`, {
      perMessageDeflate: false,
    });
    client.socket = socket;
    socket.once('error', reject);
    socket.once('close', (code) => reject(new Error(`closed with ${code}`)));
    socket.once('open', () => {
      const { scheme = 'Visitor', token, counts } = client.session;
      socket.send(JSON.stringify({ type: 'auth', scheme, token, after: client.after, counts }));
    });
    socket.on('message', (data) => {
      const frame = JSON.parse(data.toString());
      if (frame.id) client.after = frame.id;
      if (frame.type === 'ready') {
        client.after ??= frame.after;
        resolve(undefined);
      }
      client.onFrame?.(frame);
    });
  });

/** As `open`, again and again until it succeeds, as clients do. @param {string} url @param {Client} client */
export const comeBack = async (url, client) => {
  for (let tries = 0; ; tries++) {
    try {
      return await open(url, client);
    } catch (error) {
      if (tries > 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000 * (0.5 + Math.random())));
    }
  }
};

/** Cuts the sockets of some clients, as a lost network does. @param {Client[]} clients */
export const drop = async (clients) => {
  for (const { socket } of clients) {
    socket?.removeAllListeners('close');
    socket?.terminate();
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000));
};

/** @param {number[]} values @param {number} share */
export const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;
