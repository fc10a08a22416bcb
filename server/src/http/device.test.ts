import { expect, it } from 'vitest';
import { deviceOf, readBrowserHeaders } from './device.ts';

const CHROME_ANDROID =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';

const brands = (name: string) => `"Chromium";v="140", "Not=A?Brand";v="24", "${name}";v="140"`;
const device = (headers: Record<string, string>) =>
  deviceOf(readBrowserHeaders((name) => headers[name] ?? ''));

it.each([
  ['Chrome 140 on Android, mobile', { 'User-Agent': CHROME_ANDROID }],
  ['Firefox 144 on Windows, desktop', { 'User-Agent': FIREFOX }],
  ['Safari 18 on iOS, mobile', { 'User-Agent': IPHONE }],
  ['Brave 140 on Android, mobile', { 'User-Agent': CHROME_ANDROID, 'Sec-CH-UA': brands('Brave') }],
  [
    'Brave 140 on Android, mobile',
    { 'Sec-CH-UA': brands('Brave'), 'Sec-CH-UA-Mobile': '?1', 'Sec-CH-UA-Platform': '"Android"' },
  ],
  ['', {}],
  ['', { 'User-Agent': 'nothing known' }],
  ['Chrome 140 on Android, mobile', { 'User-Agent': CHROME_ANDROID, 'Sec-CH-UA': '"broken' }],
])('%s', (expected, headers) => {
  expect(device(headers as Record<string, string>)).toBe(expected);
});

it('takes a long or hostile header for what it is', () => {
  const begun = performance.now();
  expect(device({ 'Sec-CH-UA': '"\\'.repeat(8_000), 'User-Agent': 'x'.repeat(8_000) })).toBe('');
  expect(performance.now() - begun).toBeLessThan(10_000);
  expect(device({ 'Sec-CH-UA': `"${'B'.repeat(900)}";v="1"` }).length).toBeLessThanOrEqual(200);
});
