import { once } from 'node:events';
import { type ClientFrameInput, REALTIME_PATH, ServerFrame } from '@parlor/shared';
import { onTestFinished } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';

type Credential = { visitor: string } | { token: string };

/** A client of the live channel over a real socket; every frame that it gets is checked against the contract. */
export interface RealtimeClient {
  socket: WebSocket;
  /** Everything that came, in order. */
  frames: ServerFrame[];
  /** When each of them came (`performance.now()`). */
  times: number[];
  /** Those with an id. */
  events(): (ServerFrame & { id: string; data: any })[];
  send(frame: ClientFrameInput | Record<string, unknown>): void;
  /** Waits for the first frame that fits, among those that came already, too. */
  find(
    fits: (frame: ServerFrame) => boolean,
    patience?: number,
  ): Promise<ServerFrame & { data: any; id: string }>;
  /** The code and reason that the socket was closed with. */
  closed: Promise<{ code: number; reason: string }>;
  close(): Promise<void>;
}

/** Opens a socket without saying who it is. */
export const openSocket = async (url: string, options: ClientOptions = {}): Promise<RealtimeClient> => {
  const socket = new WebSocket(url.replace(/^http/, 'ws') + REALTIME_PATH, options);
  const frames: ServerFrame[] = [];
  const times: number[] = [];
  let arrived = () => {};
  socket.on('error', () => undefined);
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => {
      resolve({ code, reason: reason.toString() });
      arrived();
    }),
  );
  socket.on('message', (data) => {
    times.push(performance.now());
    frames.push(ServerFrame.parse(JSON.parse(data.toString())));
    arrived();
  });
  const client: RealtimeClient = {
    socket,
    frames,
    times,
    events: () => frames.filter((frame) => 'id' in frame) as never,
    send: (frame) => socket.send(JSON.stringify(frame)),
    find: async (fits, patience = 60_000) => {
      const deadline = Date.now() + patience;
      for (let seen = 0; ; ) {
        for (; seen < frames.length; seen++) {
          if (fits(frames[seen] as ServerFrame)) return frames[seen] as never;
        }
        const left = deadline - Date.now();
        if (left <= 0 || socket.readyState === WebSocket.CLOSED) {
          throw new Error(`no such frame; got ${JSON.stringify(frames)}`);
        }
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          arrived = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    closed,
    close: async () => {
      socket.close();
      await closed;
    },
  };
  onTestFinished(() => socket.terminate());
  await Promise.race([once(socket, 'open'), closed]);
  return client;
};

/** Opens a socket, says who it is, and waits until it is ready. */
export const connect = async (
  url: string,
  credential: Credential,
  more: { after?: string; rooms?: string[]; counts?: boolean; origin?: string; ca?: string } = {},
): Promise<RealtimeClient & { after: string }> => {
  const { origin, ca, ...rest } = more;
  const client = await openSocket(url, { ...(origin !== undefined && { origin }), ...(ca && { ca }) });
  const who =
    'visitor' in credential
      ? { scheme: 'Visitor' as const, token: credential.visitor }
      : { scheme: 'Token' as const, token: credential.token };
  client.send({ type: 'auth', ...who, ...rest });
  const ready = (await client.find(({ type }) => type === 'ready')) as unknown as { after: string };
  return Object.assign(client, { after: ready.after });
};
