import ipaddr from 'ipaddr.js';

type IPv6 = ipaddr.IPv6;

/** IPv6 addresses that are handed out to the public at all (IANA IPv6 Global Unicast Address Assignments). */
const GLOBAL_UNICAST: [IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Ranges whose last 32 bits are the IPv4 address that packets really go to. */
const WITH_IPV4: readonly [IPv6, number][] = [
  // IPv4-mapped (RFC 4291, 2.5.5.2), and NAT64's well-known prefix (RFC 6052, 2.1).
  [ipaddr.IPv6.parse('::ffff:0:0'), 96],
  [ipaddr.IPv6.parse('64:ff9b::'), 96],
];

/** Special-purpose ranges that ipaddr.js does not know by itself (IANA IPv6 Special-Purpose Address Registry). */
const SPECIAL: readonly [IPv6, number][] = [
  [ipaddr.IPv6.parse('3fff::'), 20],
  [ipaddr.IPv6.parse('2001:db8::'), 32],
];

/**
 * Ranges of public numbers that clouds keep for services of their own network: what answers there is inside. The other
 * metadata services have link-local, shared (100.64.0.0/10), reserved (192.0.0.0/24) or unique local addresses.
 */
const CLOUD_INTERNAL_IPV4: readonly [ipaddr.IPv4, number][] = [
  // Azure's wire server: metadata, health probes and the virtual machine's agent
  '168.63.129.16/32',
  // IBM Cloud's service endpoints
  '161.26.0.0/16',
  '166.8.0.0/14',
  // Google's private and restricted API addresses
  '199.36.153.4/30',
  '199.36.153.8/30',
].map((range) => ipaddr.IPv4.parseCIDR(range));

const CLOUD_INTERNAL_IPV6: readonly [IPv6, number][] = [
  // Google's restricted and private API addresses
  [ipaddr.IPv6.parse('2600:2d00:2:1000::'), 56],
  [ipaddr.IPv6.parse('2600:2d00:2:2000::'), 56],
];

const isPublicIPv4 = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && !CLOUD_INTERNAL_IPV4.some(([prefix, bits]) => address.match(prefix, bits));

const lastFourBytes = (address: IPv6): ipaddr.IPv4 => new ipaddr.IPv4(address.toByteArray().slice(12));

/** An ISATAP interface identifier carries an IPv4 address inside any prefix (RFC 5214, 6.1). */
const isIsatap = ({ parts }: IPv6): boolean => ((parts[4] ?? 0) & 0xfdff) === 0 && parts[5] === 0x5efe;

/**
 * Whether an address is a public unicast one (docs/contract.md#outgoing-requests). Of IPv6 only what the
 * registry has handed out is; forms that carry an IPv4 address are judged by that one, or refused where the
 * way to it can't be known (6to4, Teredo, local NAT64 prefixes).
 */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isPublicIPv4(address);
  const v6 = address as IPv6;
  if (v6.zoneId) return false;
  if (WITH_IPV4.some(([prefix, bits]) => v6.match(prefix, bits))) return isPublicIPv4(lastFourBytes(v6));
  if (!v6.match(...GLOBAL_UNICAST) || v6.range() !== 'unicast') return false;
  if ([...SPECIAL, ...CLOUD_INTERNAL_IPV6].some(([prefix, bits]) => v6.match(prefix, bits))) return false;
  return !isIsatap(v6) || isPublicIPv4(lastFourBytes(v6));
};

/** The IP literal that a URL's host is, without brackets; undefined when it is a name. */
export const ipLiteral = (hostname: string): string | undefined => {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : undefined;
};
