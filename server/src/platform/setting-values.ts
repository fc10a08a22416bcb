import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ipaddr from 'ipaddr.js';
import { type Duration, parseDuration } from './duration.ts';
import { isMailAddress } from './mail-address.ts';

const expected = (what: string): never => {
  throw new Error(what);
};

/** Whether a host name or address is this machine's alone. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');

/** The same of where a URL leads. */
export const isLoopbackUrl = (url: string): boolean =>
  isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));

export const anyText = (text: string): string => text;

/** An empty one would be all addresses of this machine. */
export const host = (text: string): string =>
  /^[^\s[\]/]+$/.test(text) ? text : expected('an address or a host name, such as 127.0.0.1, ::1 or 0.0.0.0');

/** What a request can carry behind `Bearer `. */
export const bearerToken = (text: string): string =>
  /^[\x21-\x7e]*$/.test(text)
    ? text
    : expected('a token without spaces, in letters, digits and signs of ASCII');

/** Where Parlor itself lies; npm starts it there. */
const OWN_FOLDER = fileURLToPath(new URL('../../..', import.meta.url));

/** A relative one is inside of Parlor's own, from wherever it is started. */
export const folder = (text: string): string =>
  text.trim() === '' ? expected('the path of a folder') : resolve(OWN_FOLDER, text);

export const wholeNumber = (min: number, max: number) => (text: string) => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : expected(`a whole number from ${min} to ${max}`);
};

export const oneOf =
  <const T extends string>(...values: T[]) =>
  (text: string): T =>
    values.find((value) => value === text) ?? expected(`one of ${values.join(', ')}`);

export const trueOrFalse = (text: string): boolean => oneOf('true', 'false')(text) === 'true';

/** A base that paths are added to; what stands before `@` would not be sent. */
export const baseAddress = (text: string): string => {
  if (text === '') return '';
  const isBase = /^https?:\/\/[^@?#\\\s]+$/.test(text) && URL.canParse(text);
  return isBase ? text.replace(/\/+$/, '') : expected('an http or https URL without user, ? and #');
};

/** A URL's host as browsers write it: a name, or an address. They take other characters, too, which policies read as more. */
const HOST_OF_URL = /^(?:(?:[\w-]+\.)*[\w-]+\.?|\[[\da-f:]+\])$/;

/** A path would have to be added to every route, cookie and address; a proxy gives Parlor a name of its own. */
export const webOrigin = (text: string): string => {
  if (text === '') return '';
  const isOrigin = /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) && URL.canParse(text);
  const { hostname, port, origin } = isOrigin
    ? new URL(text)
    : expected('an http or https URL without a path');
  if (port === '0') return expected('a URL with another port than 0, which nobody can reach');
  return HOST_OF_URL.test(hostname) ? origin : expected('a URL with the name or the address of a host');
};

export const mongodbUrl = (text: string): string =>
  text === '' || /^mongodb(\+srv)?:\/\/\S+$/.test(text)
    ? text
    : expected('a URL that starts with mongodb:// or mongodb+srv://');

/** Whether EMBEDDED_MONGODB_LISTEN names a port, which every user of this machine can connect to. */
export const isLoopbackPort = (listen: string): boolean =>
  /^(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}$/.test(listen);

export const socketOrLoopback = (text: string): string =>
  text === '' || /^(\.{0,2}\/|[A-Za-z]:\\)/.test(text) || isLoopbackPort(text)
    ? text
    : expected('a socket path, or 127.0.0.1:port, localhost:port or [::1]:port');

export const hostAndPort = (text: string): { host: string; port: number } | undefined => {
  if (text === '') return undefined;
  const [, inBrackets, name, digits] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = inBrackets ?? name;
  const port = Number(digits);
  return host && port >= 1 && port <= 65_535 ? { host, port } : expected('host:port, such as 127.0.0.1:9464');
};

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Kept as it is written: a provider's name for itself may end in a slash. Without https whoever is in between could
 * make up who somebody is, so that only this machine may do without.
 */
export const oidcIssuer = (text: string): string => {
  if (text === '') return '';
  const isUrl = /^https?:\/\/[^@?#\\\s]+$/.test(text) && URL.canParse(text);
  if (!isUrl || text.includes('/.well-known/') || !(text.startsWith('https:') || isLoopbackUrl(text))) {
    return expected("the provider's https URL, without /.well-known/openid-configuration");
  }
  return text;
};

export const smtpUrl = (text: string): string => {
  if (text === '') return '';
  const url = /^smtps?:\/\/\S+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url?.hostname) return expected('a URL that starts with smtp:// or smtps://');
  if (isDecodable(url.username) && isDecodable(url.password)) return text;
  return expected('a % in user and password written as %25');
};

export const mailAddress = (text: string): string =>
  text === '' || isMailAddress(text) ? text : expected('an e-mail address');

export const secretKey = (text: string): string =>
  text === '' || text.length >= 32 ? text : expected('at least 32 characters');

/** A timer of Node.js that is longer than some 24 days ends at once, and one of no time leaves none to answer. */
const timeLimit =
  (least: string) =>
  (text: string): Duration => {
    const limit = parseDuration(text);
    const isKept = limit >= parseDuration(least) && limit <= 86_400_000;
    return isKept ? limit : expected(`a duration from ${least} to 1d`);
  };

export const timeout = timeLimit('1ms');

/** Less than a second would take a pause of the machine for a database that is gone. */
export const databaseTimeout = timeLimit('1s');

/** Longer than a delivery is kept, none would be waited for. */
const LONGEST_DELAY: Duration = 30 * 86_400_000;

export const retryDelays = (text: string): readonly Duration[] => {
  const delays = text.split(',').map((part) => parseDuration(part.trim()));
  return delays.every((delay) => delay <= LONGEST_DELAY) ? delays : expected('durations of at most 30d');
};

/** Notifications that wait longer than some days are not mailed at all. */
export const digestWindow = (text: string): Duration => {
  const window = parseDuration(text);
  return window <= 86_400_000 ? window : expected('a duration of at most 1d');
};
