import { describe, expect, test } from 'vitest';
import { targetError } from '../features/webhooks/target.ts';
import { isPublicAddress } from './addresses.ts';

/** Hosts of URLs that all mean an address inside, in every spelling that a URL parser or a resolver knows. */
const INSIDE = [
  // loopback
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0X7F000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '0177.0.0.1',
  '0177.0.0.01',
  '00000177.0.0.0x1',
  '127.0.0.0x1',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '127．0．0．1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::0.0.0.1]',
  'localhost',
  'LOCALHOST',
  'LocalHost.',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'localhost.localdomain',
  'app.localhost',
  'a.b.localhost.',
  // this host, this network
  '0',
  '0.0.0.0',
  '0x0',
  '00',
  '0.1.2.3',
  '[::]',
  '[0::0]',
  // private networks
  '10.0.0.1',
  '10.1',
  '0xa000001',
  '012.0.0.1',
  '167772161',
  '172.16.0.1',
  '172.31.255.255',
  '0xac.0x10.0.1',
  '192.168.0.1',
  '192.168.1',
  '3232235521',
  '0300.0250.0.1',
  '100.64.0.1',
  '100.127.255.255',
  // link-local: the cloud's metadata service
  '169.254.169.254',
  '169.254.43518',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  // what clouds answer on inside of their networks: metadata, agents, DNS, their own services
  '169.254.170.2',
  '169.254.42.42',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '2822734096',
  '0xa83f8110',
  '0250.077.0201.020',
  '161.26.0.7',
  '166.8.0.1',
  '166.11.255.255',
  '199.36.153.4',
  '199.36.153.11',
  '[2600:2d00:2:1000::1]',
  '[2600:2d00:0002:10ff:ffff:ffff:ffff:ffff]',
  '[2600:2d00:2:2000::1]',
  '[2600:2d00:2:20ff:ffff:ffff:ffff:ffff]',
  '[::ffff:168.63.129.16]',
  '[::ffff:a83f:8110]',
  '[64:ff9b::168.63.129.16]',
  '[2600::5efe:168.63.129.16]',
  '[fd20:ce::254]',
  '[fd00:c1::a9fe:a9fe]',
  // multicast, broadcast, reserved, documentation, benchmarks
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '4294967295',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '[ff02::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  '[5f00::1]',
  '[4000::1]',
  // unique local
  '[fc00::1]',
  '[fd00:ec2::254]',
  // IPv6 that carries IPv4
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[::ffff:10.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[::a00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::10.0.0.1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2002:808:808::1]',
  '[2001:0:53aa:64c:0:fbcf:80ff:fffe]',
  '[2600::5efe:127.0.0.1]',
  '[2600::200:5efe:a00:1]',
  '[2001:2::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[2001:1::1]',
];

const OUTSIDE = [
  '8.8.8.8',
  '1.1.1.1',
  '134744072',
  '0x08080808',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.255.255',
  '11.0.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.0.1',
  '223.255.255.255',
  // beside the clouds' own ranges
  '168.63.129.15',
  '168.63.129.17',
  '161.25.255.255',
  '161.27.0.1',
  '166.7.255.255',
  '166.12.0.1',
  '199.36.153.3',
  '199.36.153.12',
  '[2600:2d00:2:fff::1]',
  '[2600:2d00:2:1100::1]',
  '[2600:2d00:2:1fff::1]',
  '[2600:2d00:2:2100::1]',
  '[2606:4700:4700::1111]',
  '[2a00:1450:4001:830::200e]',
  '[2600::1]',
  '[::ffff:8.8.8.8]',
  '[64:ff9b::8.8.8.8]',
  '[2600::5efe:8.8.8.8]',
  'example.com',
  'localhost.example.com',
  'notlocalhost',
  '127.0.0.1.example.com',
];

describe('targets', () => {
  test('the table has at least 80 spellings', () => {
    expect(new Set(INSIDE).size).toBeGreaterThanOrEqual(80);
  });

  test.each(INSIDE)('%s is refused', (host) => {
    expect(targetError(`http://${host}/hook`, false)).toBe('The target must be a public address.');
    expect(targetError(`https://${host}:8443/hook`, false)).toBe('The target must be a public address.');
  });

  test.each(INSIDE)('%s is allowed where private addresses are', (host) => {
    expect(targetError(`http://${host}/hook`, true)).toBeUndefined();
  });

  test.each(OUTSIDE)('%s is allowed', (host) => {
    expect(targetError(`http://${host}/hook`, false)).toBeUndefined();
  });

  test.each([
    'http://user@example.com/',
    'http://user:secret@example.com/',
    'http://:secret@example.com/',
    'http://@example.com/',
    'HTTP://:@example.com',
    'https:////@example.com/',
    'http:\\\\@example.com/',
    'http://a@@example.com/',
  ])('%s has credentials', (target) => {
    expect(targetError(target, false)).toMatch(/not allowed/);
    expect(targetError(target, true)).toMatch(/not allowed/);
  });

  test.each([0, 1, 22, 25, 110, 143, 465, 587, 993, 6000, 6667, 10_080])('port %s is refused', (port) => {
    for (const allowPrivate of [false, true]) {
      expect(targetError(`http://example.com:${port}/`, allowPrivate)).toBe(`Port ${port} is not allowed.`);
      expect(targetError(`https://example.com:0${port}/`, allowPrivate)).toBe(`Port ${port} is not allowed.`);
    }
  });

  test.each([
    'http://example.com:443/',
    'https://example.com:80/',
    'https://example.com:8443/hook/@me?to=a@b#@',
    'https://example.com?to=@b',
  ])('%s is taken', (target) => {
    expect(targetError(target, false)).toBeUndefined();
  });
});

describe('addresses that a name resolved to', () => {
  test.each([
    '',
    'example.com',
    '127.0.0.1:80',
    '::1%lo',
    'fe80::1%eth0',
    '2606:4700::1111%eth0',
    '1.2.3.4/8',
  ])('"%s" is not a public address', (address) => expect(isPublicAddress(address)).toBe(false));

  test('an address in its usual spelling is judged as in a URL', () => {
    for (const host of INSIDE.filter((name) => !/localhost|ⓛ/i.test(name))) {
      const { hostname } = new URL(`http://${host}/`);
      expect([hostname, isPublicAddress(hostname.replace(/[[\]]/g, ''))]).toEqual([hostname, false]);
    }
  });
});
