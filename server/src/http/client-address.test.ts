import { describe, expect, it } from 'vitest';
import { parseTrustProxy } from '../platform/trust-proxy.ts';
import { addressKeys, createClientAddress, createIsProxy } from './client-address.ts';

const client = (trust: string, peer: string, forwarded?: string) =>
  createClientAddress(parseTrustProxy(trust))({
    socket: { remoteAddress: peer } as never,
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  });

describe('the address of a client', () => {
  it.each([
    ['nobody is trusted', 'false', '192.0.2.9', '203.0.113.1', '192.0.2.9'],
    ['one hop', '1', '127.0.0.1', 'made up, 198.51.100.7, 203.0.113.1', '203.0.113.1'],
    ['two hops, as behind a CDN', '2', '10.0.0.1', '198.51.100.7, 203.0.113.1, 10.9.9.9', '203.0.113.1'],
    ['fewer than there are hops', '2', '10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['a proxy that wrote nothing', '1', '10.0.0.1', undefined, '10.0.0.1'],
    ['a proxy that does not know', '1', '10.0.0.1', '203.0.113.1, unknown', '10.0.0.1'],
    ['a range', '10.0.0.0/8', '10.0.0.1', '198.51.100.7, 203.0.113.1, 10.9.9.9', '203.0.113.1'],
    ['a peer outside of the range', '10.0.0.0/8', '192.0.2.9', '203.0.113.1', '192.0.2.9'],
    ['only proxies', '10.0.0.0/8', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['several ranges', 'loopback, fd00::/8', '::1', '203.0.113.1, fd12::1', '203.0.113.1'],
    ['loopback', 'loopback', '::ffff:127.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['loopback, from elsewhere', 'loopback', '192.0.2.9', '203.0.113.1', '192.0.2.9'],
    ['one address', '10.0.0.1', '10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['a range of IPv4 inside IPv6', '::ffff:10.0.0.0/104', '::ffff:10.9.9.9', '203.0.113.1', '203.0.113.1'],
    ['the same, from elsewhere', '::ffff:10.0.0.0/104', '192.0.2.9', '203.0.113.1', '192.0.2.9'],
    ['a range behind a NAT64', '64:ff9b::10.0.0.0/104', '64:ff9b::a00:1', '203.0.113.1', '203.0.113.1'],
    ['one such address', '::ffff:10.0.0.1/128', '10.0.0.1', '203.0.113.1', '203.0.113.1'],
  ])('%s', (_, trust, peer, forwarded, expected) => expect(client(trust, peer, forwarded)).toBe(expected));

  it.each([
    ['203.0.113.1', ['203.0.113.1', '203.0.113.1:4711', '::ffff:203.0.113.1', '[::ffff:cb00:7101]:1']],
    ['203.0.113.1', ['64:ff9b::203.0.113.1', '0:0:0:0:0:FFFF:cb00:7101']],
    [
      '2001:db8::1',
      ['2001:DB8::1', '[2001:db8::1]', '[2001:db8::1]:443', '2001:db8:0:0:0:0:0:1', '2001:db8::1%eth0'],
    ],
  ])('is %s in each of its spellings', (address, spellings) => {
    for (const text of spellings) expect([text, client('1', '127.0.0.1', text)]).toEqual([text, address]);
  });
});

it.each([
  ['false', '127.0.0.1', false],
  ['1', '203.0.113.1', true],
  ['loopback', '::ffff:127.0.0.1', true],
  ['loopback', '192.0.2.9', false],
  ['10.0.0.0/8,fd00::/8', 'fd12::1', true],
  ['10.0.0.0/8', '', false],
])('with TRUST_PROXY=%s a connection from "%s" is of a proxy: %s', (trust, remoteAddress, expected) =>
  expect(createIsProxy(parseTrustProxy(trust))({ remoteAddress } as never)).toBe(expected),
);

describe('TRUST_PROXY', () => {
  it.each([
    ...['true', 'yes', '', '0', '17', '-1', '10.0.0.0/33', 'example.com', '10.0.0.0/8,', '1,2'],
    ...['0.0.0.0/0', '::/0', '10.0.0.0/8, 0.0.0.0/0', '::ffff:0:0/96', '64:ff9b::/96'],
    ...['::ffff:0:0/95', '64:ff9b::/64', '::/1'],
    // RFC 1918 writes these so, and ipaddr.js reads them as 172.0.0.16/12 and 8.0.0.0/8.
    ...[
      '172.16/12',
      '192.168/16',
      '10/8',
      '127/8',
      '010.0.0.0/8',
      '0x0a.0.0.0/8',
      '10.0.0.0/',
      '10.0.0.0/-1',
    ],
  ])('%j is refused, and what to write instead is said', (text) =>
    expect(() => parseTrustProxy(text)).toThrow(/number of proxies .*CIDRs .*loopback/),
  );
});

describe('what limits count', () => {
  it('is an IPv4 address, and of IPv6 the /64 and the /48', () => {
    expect(addressKeys('192.0.2.1')).toEqual({ address: '192.0.2.1' });
    expect(addressKeys('::ffff:192.0.2.1')).toEqual({ address: '192.0.2.1' });
    expect(addressKeys('2001:db8:1:2:3::4')).toEqual({
      address: '2001:db8:1:2::/64',
      network: '2001:db8:1::/48',
    });
    expect(addressKeys('2001:db8:1:2:ffff::9')).toEqual(addressKeys('2001:db8:1:2:3::4'));
  });
});
