import type { Config } from '../platform/config.ts';
import type { Context } from './context.ts';

/** The address of a server that listens on HOST; this machine's where it listens on all of them. */
export const listeningUrl = (host: string, port: number): string => {
  const name = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
};

/**
 * What every address in a response begins with: PUBLIC_URL, or where this server listens. Never what a request says
 * in Host or X-Forwarded-Host, which anybody can make up, also for what a cache then keeps for others.
 */
export const createBaseUrl =
  ({ HOST, PORT, PUBLIC_URL }: Pick<Config, 'HOST' | 'PORT' | 'PUBLIC_URL'>) =>
  ({ req }: Pick<Context, 'req'>): string =>
    PUBLIC_URL || listeningUrl(HOST, req.socket.localPort ?? PORT);
