import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Whose X-Forwarded-For is believed: nobody's, that of a number of proxies in a row, or that of proxies in
 * these ranges.
 */
export type TrustProxy = false | number | readonly Range[];

const LOOPBACK: readonly Range[] = [ipaddr.parseCIDR('127.0.0.0/8'), ipaddr.parseCIDR('::1/128')];

/** IPv4 addresses as networks that are IPv6 alone hand them on (RFC 6052, 2.1). */
const EMBEDDED_IPV4 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** The ranges of IPv6 whose addresses are read as the IPv4 address in their last 32 bits. */
const READ_AS_IPV4 = [ipaddr.IPv6.parseCIDR('::ffff:0:0/96'), EMBEDDED_IPV4];

const MAX_HOPS = 16;

/**
 * Whether it is an address as proxies and operators write them. ipaddr.js takes octal numbers and missing parts, too, by which
 * the 172.16/12 of RFC 1918 would be 172.0.0.16/12.
 */
const isWritten = (text: string): boolean =>
  text.includes(':') ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);

/**
 * Reads an address in any of the spellings that proxies use: with a port, in brackets, with a zone, IPv4 inside
 * IPv6. One address is the same whatever its spelling. @returns undefined for what is none
 */
export const parseAddress = (text: string): Address | undefined => {
  const inBrackets = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1];
  const beforePort = /^([\d.]+):\d{1,5}$/.exec(text)?.[1];
  const [plain = ''] = (inBrackets ?? beforePort ?? text).split('%', 1);
  if (!isWritten(plain)) return undefined;
  const address = ipaddr.process(plain);
  if (address instanceof ipaddr.IPv6 && address.match(EMBEDDED_IPV4)) {
    return new ipaddr.IPv4(address.toByteArray().slice(12));
  }
  return address;
};

/** Whether an address is in one of the ranges. */
export const isWithin = (address: Address, ranges: readonly Range[]): boolean =>
  ranges.some(
    ([network, bits]) => address.kind() === network.kind() && address.match(network as never, bits),
  );

/**
 * A range as addresses are held against it: one of IPv4 inside IPv6 is one of IPv4, and one with all of these in it is all of
 * IPv4, since by itself it would have none of them.
 */
const asRead = ([network, bits]: Range): Range => {
  if (!(network instanceof ipaddr.IPv6)) return [network, bits];
  const ipv4 = READ_AS_IPV4.find(([first]) => network.match(first, Math.min(bits, 96)));
  if (!ipv4) return [network, bits];
  return [new ipaddr.IPv4(network.toByteArray().slice(12)), Math.max(bits - 96, 0)];
};

const readRange = (text: string): readonly Range[] => {
  if (text === 'loopback') return LOOPBACK;
  const [, network = '', bits] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (bits !== undefined) {
    if (!isWritten(network)) throw new Error();
    const range = asRead(ipaddr.parseCIDR(text));
    // Everybody, as `true` would be.
    if (range[1] === 0) throw new Error();
    return [range];
  }
  const address = parseAddress(text);
  if (!address) throw new Error();
  return [[address, address.kind() === 'ipv4' ? 32 : 128]];
};

/** Reads TRUST_PROXY. @throws Error that says what is expected */
export const parseTrustProxy = (text: string): TrustProxy => {
  if (text === 'false') return false;
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_HOPS) return Number(text);
  try {
    return text.split(',').flatMap((part) => readRange(part.trim()));
  } catch {
    throw new Error(
      `false, the number of proxies in front (1 to ${MAX_HOPS}), their addresses as CIDRs ` +
        '(10.0.0.0/8,fd00::/8), or loopback for those on this machine; never true or /0, which would believe anybody',
    );
  }
};
