import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp({ PUBLIC_URL: 'https://chat.example.com' });

const get = (path: string) => app.request('GET', `/console/preview/${path}`);

it.each(['', 'lamps.html', 'hostile/', 'strict/visit.html'])(
  'is a page without an origin, for the console alone: %s',
  async (path) => {
    const { status, text, headers } = await get(path);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(status).toBe(200);
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'self'",
      'sandbox allow-scripts allow-forms',
    ]) {
      expect(policy).toContain(rule);
    }
    expect(policy.includes("style-src 'self'")).toBe(!path.startsWith('strict/'));
    expect(String(headers['content-security-policy'])).not.toContain('unsafe');
    // The widget comes by the page's own script, which is given its settings, and no token.
    expect(text).toContain('<script src="/console/preview/preview.js" defer></script>');
    expect(text).not.toMatch(/data-token|__WIDGET_TOKEN__|settings panel/);
  },
);

it('has the style sheets that its case has, and not the demo’s panel', async () => {
  expect((await get('')).text).toContain('site.css');
  expect((await get('hostile/')).text).toContain('hostile.css');
  expect((await get('strict/')).text).not.toContain('stylesheet');
  expect((await get('panel/')).headers['content-security-policy']).toContain("frame-ancestors 'none'");
  expect((await get('preview.js')).headers['content-type']).toContain('javascript');
});

it('lets the console show it, and nobody show the console', async () => {
  const policy = String(
    (await app.request('GET', '/console/widgets')).headers['content-security-policy'],
  ).split('; ');
  expect(policy).toContain("frame-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
});
