import { MAX_TARGET, text } from '@parlor/shared';
import { ipLiteral, isPublicAddress } from '../../net/addresses.ts';
import { isBlockedPort } from '../../net/blocked-ports.ts';

/** An address that a webhook of any version may have, as stored. */
export const TARGET = text({ max: MAX_TARGET }).refine(
  (target) => URL.canParse(target) && /^https?:$/.test(new URL(target).protocol),
  { error: 'Enter a valid URL.' },
);

/** Where a target is: scheme, host and port, as the limits of docs/contract.md#origins count it. */
export const originOf = (target: string): string => new URL(target).origin;

/** The longest name that the DNS can hold (RFC 1035, 2.3.4), in its text form. */
const LONGEST_NAME = 253;

/** Text before an `@` in front of the host, also an empty one, which the URL parser leaves out without a word. */
const USERINFO = /^[a-z]+:[/\\]+[^/\\?#]*@/i;

/** Names that mean this machine itself (RFC 6761, 6.3), with or without the root's dot. */
const isLocalhost = (hostname: string): boolean => /(^|\.)localhost(\.localdomain)?\.?$/.test(hostname);

/**
 * What is wrong with a webhook's target beyond its being an http(s) URL; undefined when nothing is. The URL
 * parser has already brought every spelling of an IPv4 address (octal, hexadecimal, short, one number,
 * full-width digits) into the usual one. What a name resolves to is looked at when a delivery connects.
 */
export const targetError = (target: string, allowPrivate: boolean): string | undefined => {
  const { hostname, port } = new URL(target);
  if (USERINFO.test(target)) return 'A user name or password in the URL is not allowed.';
  if (hostname.length > LONGEST_NAME) return 'Enter a valid URL.';
  if (isBlockedPort(port)) return `Port ${port} is not allowed.`;
  if (allowPrivate) return undefined;
  const literal = ipLiteral(hostname);
  if (isLocalhost(hostname) || (literal !== undefined && !isPublicAddress(literal))) {
    return 'The target must be a public address.';
  }
  return undefined;
};
