import Bowser from 'bowser';

const MAX = 200;

/** What a browser's headers say of it: the user agent, and client hints where it sends them. */
export interface BrowserHeaders {
  userAgent: string;
  /** Sec-CH-UA: names and major versions (User-Agent Client Hints, 3.1). */
  brands: string;
  /** Sec-CH-UA-Mobile: `?1` or `?0`. */
  mobile: string;
  /** Sec-CH-UA-Platform: a quoted name. */
  platform: string;
}

/** @param header gives a request's header by name; empty when there is none */
export const readBrowserHeaders = (header: (name: string) => string): BrowserHeaders => ({
  userAgent: header('User-Agent'),
  brands: header('Sec-CH-UA'),
  mobile: header('Sec-CH-UA-Mobile'),
  platform: header('Sec-CH-UA-Platform'),
});

/** The items of `"Chromium";v="140", "Not=A?Brand";v="24"` (RFC 9651, a list of strings with a parameter each). */
const readBrands = (header: string): { brand: string; version: string }[] =>
  [...header.slice(0, 1_000).matchAll(/"((?:[^"\\]|\\.)*)"\s*;\s*v="([^"]*)"/g)].map(
    ([, brand = '', version = '']) => ({ brand: brand.replace(/\\(.)/g, '$1'), version }),
  );

/**
 * A browser, for people: `Chrome 140 on Android, mobile`; empty when nothing is known of it. What the client hints
 * say goes before the user agent, in which browsers hide behind each other.
 */
export const deviceOf = ({ userAgent, brands, mobile, platform }: BrowserHeaders): string => {
  const hints = {
    brands: readBrands(brands),
    mobile: mobile === '?1',
    platform: /^"([^"\\]*)"$/.exec(platform)?.[1] ?? '',
  };
  if (userAgent === '' && hints.brands.length === 0) return '';
  // Bowser takes no empty user agent, and knows nothing of this one.
  const parsed = Bowser.parse(userAgent || '-', hints);
  const [major = ''] = (parsed.browser.version ?? '').split('.');
  const program = [parsed.browser.name, major].filter(Boolean).join(' ');
  const named = [program, parsed.os.name ?? hints.platform].filter(Boolean).join(' on ');
  const kind = parsed.platform.type ?? (hints.mobile ? 'mobile' : undefined);
  return [named, kind].filter(Boolean).join(', ').slice(0, MAX);
};
