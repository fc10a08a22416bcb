import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type AuthFrame, CLOSE_CODES, ClientFrame, REALTIME_PATH } from '@parlor/shared';
import type { Logger } from 'pino';
import type { WebSocket, WebSocketServer } from 'ws';
import { declineUpgrade } from '../../http/declined-upgrades.ts';
import { refuseUpgrade } from '../../http/refused-upgrades.ts';
import { ParlorError, serverStops } from '../../platform/errors.ts';
import type { AccountPrincipal } from '../members/principal.ts';
import type { VisitorPrincipal } from '../visitors/principal.ts';
import { createAdmission } from './admission.ts';
import type { Channel } from './channel.ts';
import type { ClientFrames } from './client-frames.ts';
import { Connection } from './connection.ts';
import type { ConnectionLimiter } from './connection-limiter.ts';
import type { CredentialCheck } from './credential-check.ts';
import { Heartbeat } from './heartbeat.ts';
import type { OpenConnections } from './open-connections.ts';
import type { PresenceService } from './presence.ts';
import { replay } from './replay.ts';
import { createSocketServer } from './socket-server.ts';
import type { Typing } from './typing.ts';
import { faultOf, handshakeError } from './upgrade-faults.ts';
import { type ViewerParts, viewerOf } from './viewer.ts';
import type { Viewing } from './viewing.ts';

/** Limits of docs/contract.md#live-channel. */
const AUTHENTICATED_WITHIN_MS = 5_000;

/**
 * When a server stops, it closes its connections over this time, so that clients come back spread out, and then
 * waits for their close frames.
 */
const SPREAD_MS = 2_000;
const SPREAD_EACH_MS = 1;
const GOODBYE_WITHIN_MS = 1_000;

/** What the gateway needs of the rest. */
export interface GatewayParts extends ViewerParts {
  channel: Channel;
  frames: ClientFrames;
  typing: Typing;
  viewing: Viewing;
  presence: PresenceService;
  /** Tells who follows the numbers of its inbox. */
  countsTeller: { greet(connection: Connection): void };
  credentialCheck: CredentialCheck;
  /**
   * Says whom the first frame of a socket stands for, which `opened` has asked for.
   * @throws ParlorError `not_authenticated`, `forbidden`
   */
  identify(frame: AuthFrame, opened: IncomingMessage): Promise<AccountPrincipal | VisitorPrincipal>;
  limiter: ConnectionLimiter;
  openConnections: OpenConnections;
  log: Logger;
  /** Whether the rate of a client's frames is limited. */
  isLimited: boolean;
}

/** Takes WebSockets at GET /api/v1/realtime (docs/contract.md#live-channel). */
export class Gateway {
  readonly #parts: GatewayParts;
  readonly #sockets: WebSocketServer = createSocketServer();
  readonly #open = new Set<Connection>();
  readonly #heartbeat = new Heartbeat();
  readonly #admitted = createAdmission();
  #isStopping = false;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  /** Takes the upgrades of an HTTP server. */
  attach(server: Server): void {
    // Several, where a client sends requests without waiting for responses.
    const answering = new WeakMap<Duplex, number>();
    const count = (socket: Duplex, more: number) =>
      answering.set(socket, (answering.get(socket) ?? 0) + more);
    server.on('request', ({ socket }, response) => {
      count(socket, 1);
      response.once('close', () => count(socket, -1));
    });
    server.on('upgrade', (request, socket, head) => {
      // Node.js has let go of the response that is under way, and would never send what comes after it.
      if (answering.get(socket)) socket.destroy();
      else if (request.headers.upgrade?.toLowerCase() === 'websocket')
        void this.#upgrade(server, request, socket, head);
      else declineUpgrade(server, request, socket, head);
    });
    this.#sockets.on('wsClientError', (error: Error, socket: Duplex, request: IncomingMessage) =>
      refuseUpgrade(server, request, socket, { error: handshakeError(error), route: REALTIME_PATH }),
    );
    this.#parts.openConnections.start();
    this.#heartbeat.start();
    this.#parts.credentialCheck.start();
  }

  /** Says goodbye to everybody, spread over a moment, so that they do not all come back at once. */
  async close(): Promise<void> {
    this.#isStopping = true;
    this.#heartbeat.stop();
    await this.#parts.credentialCheck.stop();
    const open = [...this.#open];
    const pause = Math.min(SPREAD_MS, open.length * SPREAD_EACH_MS) / 20;
    const share = Math.ceil(open.length / 20);
    for (let from = 0; from < open.length; from += share) {
      for (const connection of open.slice(from, from + share)) {
        connection.close(CLOSE_CODES.going_away, 'the server stops');
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    for (const deadline = performance.now() + GOODBYE_WITHIN_MS; this.#open.size > 0; ) {
      if (performance.now() > deadline) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const connection of this.#open) connection.cut();
    await this.#parts.openConnections.stop();
  }

  async #upgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // What happens to a connection that is not a WebSocket yet is nobody else's to hear.
    const onError = () => socket.destroy();
    socket.on('error', onError);
    const fault = faultOf(request);
    if (fault) return refuseUpgrade(server, request, socket, fault);
    const refuse = (error: unknown) =>
      refuseUpgrade(server, request, socket, { error, route: REALTIME_PATH });
    if (this.#isStopping) return refuse(serverStops());
    let leave: () => void;
    try {
      leave = await this.#parts.limiter.enter(request);
    } catch (error) {
      return refuse(this.#isStopping && !(error instanceof ParlorError) ? serverStops() : error);
    }
    if (socket.destroyed) return leave();
    // Whom it says goodbye to has been counted.
    if (this.#isStopping) {
      leave();
      return refuse(serverStops());
    }
    socket.once('close', leave);
    socket.off('error', onError);
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#take(webSocket, request));
  }

  #take(socket: WebSocket, request: IncomingMessage): void {
    const { log, channel } = this.#parts;
    const connection = new Connection(socket, request, log);
    this.#open.add(connection);
    this.#heartbeat.add(connection);
    const late = setTimeout(
      () => connection.close(CLOSE_CODES.not_authenticated, 'no credential in time'),
      AUTHENTICATED_WITHIN_MS,
    );
    const inbox: unknown[] = [];
    const heard = (): void => {
      connection.heardAt = performance.now();
      if (this.#parts.isLimited && !connection.countFrame()) {
        connection.close(CLOSE_CODES.violation, 'too many frames');
      }
    };
    socket.on('ping', heard);
    socket.on('pong', heard);
    socket.on('message', (data, isBinary) => {
      heard();
      if (!connection.isOpen) return;
      if (isBinary) return connection.close(CLOSE_CODES.violation, 'a binary frame');
      const frame = readFrame(data.toString());
      if (!frame) return connection.close(CLOSE_CODES.violation, 'not a frame of this channel');
      if ((frame.type === 'auth') === (connection.viewer !== undefined || inbox.length > 0)) {
        const reason = frame.type === 'auth' ? 'authenticated already' : 'no credential in the first frame';
        const code = frame.type === 'auth' ? CLOSE_CODES.violation : CLOSE_CODES.not_authenticated;
        return connection.close(code, reason);
      }
      if (frame.type === 'auth') clearTimeout(late);
      inbox.push(frame);
      if (inbox.length === 1) void this.#work(connection, inbox as ClientFrame[]);
    });
    // A broken frame or a lost connection: ws closes it with the right code.
    socket.on('error', (error) => {
      const { code, message } = error as NodeJS.ErrnoException;
      log.info({ code, reason: message }, 'a realtime connection broke');
    });
    socket.on('close', () => {
      clearTimeout(late);
      inbox.length = 0;
      this.#open.delete(connection);
      this.#heartbeat.remove(connection);
      channel.connections.remove(connection);
      this.#parts.typing.gone(connection.id);
      this.#parts.viewing.gone(connection.id);
      if (connection.viewer) this.#parts.presence.left(connection.viewer);
    });
  }

  /** Handles the frames of a connection one after another; the client waits where that takes a while. */
  async #work(connection: Connection, inbox: ClientFrame[]): Promise<void> {
    connection.pause();
    while (inbox[0] && connection.isOpen) {
      await this.#handle(connection, inbox[0]);
      inbox.shift();
    }
    inbox.length = 0;
    connection.resume();
  }

  async #handle(connection: Connection, frame: ClientFrame): Promise<void> {
    if (frame.type === 'auth') return this.#authenticate(connection, frame);
    if (connection.viewer) await this.#parts.frames.handle(connection, connection.viewer, frame);
  }

  async #authenticate(connection: Connection, frame: AuthFrame): Promise<void> {
    const { identify, channel, log } = this.#parts;
    const { after } = frame;
    try {
      await this.#admitted();
      const { opened } = connection;
      if (!connection.isOpen || !opened) return;
      connection.viewedAt = performance.now();
      const principal = await identify(frame, opened);
      if (!connection.isOpen) return;
      connection.viewer = viewerOf(principal, frame, opened, this.#parts);
      connection.opened = undefined;
      channel.connections.add(connection);
      this.#parts.presence.arrived(connection.viewer);
      await replay(channel, connection, after);
      await this.#parts.presence.greet(connection, connection.viewer);
      this.#parts.viewing.greet(connection);
      this.#parts.countsTeller.greet(connection);
    } catch (error) {
      if (error instanceof ParlorError) {
        connection.close(CLOSE_CODES.not_authenticated, error.message);
      } else {
        log.warn({ err: error }, 'a realtime connection could not be opened');
        connection.close(CLOSE_CODES.try_again, 'try again');
      }
    }
  }
}

const readFrame = (text: string): ClientFrame | undefined => {
  try {
    return ClientFrame.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};
