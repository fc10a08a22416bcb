import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isWithin, parseAddress, type TrustProxy } from '../platform/trust-proxy.ts';

/** The addresses that connections come from, which stay as they are; each goes with its connection. */
const remote = new WeakMap<Socket, ReturnType<typeof parseAddress>>();

const remoteAddressOf = (socket: Socket): ReturnType<typeof parseAddress> => {
  const known = remote.get(socket);
  if (known) return known;
  const address = parseAddress(socket.remoteAddress ?? '');
  if (address) remote.set(socket, address);
  return address;
};

/** Says whether a connection comes from a proxy whose X-Forwarded-For is believed: each of its requests may be of anybody. */
export const createIsProxy =
  (trust: TrustProxy) =>
  (socket: Socket): boolean => {
    if (typeof trust === 'number') return true;
    const address = trust && remoteAddressOf(socket);
    return address ? isWithin(address, trust) : false;
  };

/**
 * Says where a request came from. X-Forwarded-For is read from the right, where the nearest proxy has written, and
 * only as far as there are trusted proxies: whatever stands left of that a client may have made up.
 * @returns the address in its one spelling; empty where the socket is closed already
 */
export const createClientAddress =
  (trust: TrustProxy) =>
  ({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string => {
    let client = remoteAddressOf(socket);
    if (trust === false || !client) return client?.toString() ?? '';
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    for (let hop = 0; typeof trust === 'number' ? hop < trust : isWithin(client, trust); hop++) {
      const next = parseAddress(forwarded.pop()?.trim() ?? '');
      if (!next) break;
      client = next;
    }
    return client.toString();
  };

/**
 * What limits count an address by: an IPv4 address by itself, IPv6 by its /64, which is what one customer of a
 * provider has, and by its /48, which many can have for the asking, as well.
 */
export const addressKeys = (text: string): { address: string; network?: string } => {
  const address = parseAddress(text);
  if (!(address instanceof ipaddr.IPv6)) return { address: address?.toString() ?? text };
  const prefix = (bits: number) =>
    `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${bits}`)}/${bits}`;
  return { address: prefix(64), network: prefix(48) };
};
