import type { RequestOptions } from './app.ts';
import { type Attempt, inHeader } from './fuzz-attempts.ts';
import { type chooser, hostileText } from './hostile-texts.ts';
import { resolved, UNDESCRIBED } from './openapi.ts';
import { METRICS_TOKEN } from './probed-server.ts';
import type { RemoteApp } from './remote-app.ts';
import { textFields } from './text-fields.ts';

/** What the site reads in the query of a page that is no part of the API. */
const READ: Readonly<Record<string, string>> = {
  '/confirm-email': 'token',
  '/demo/': 'widget',
  '/demo/hostile/': 'widget',
  '/demo/panel/enter': 'key',
};

/** Files and pages that are found by their paths, and no routes. */
const FILES = [
  '/',
  '/widget.js',
  '/widget/',
  '/console/',
  '/console/inbox/',
  '/console/assets/',
  '/console/preview/',
  '/console/preview/strict/',
  '/demo/',
  '/demo/hostile/',
  '/demo/strict/',
  '/demo/panel/',
  '/demo/panel/enter',
];

const SETTINGS = '/demo/panel/settings';

/** A request with a text in one place. */
interface Page {
  method: string;
  path: string;
  /** Where the text stands. */
  name: string;
  of(text: string): { path: string; options: RequestOptions };
}

/**
 * Every page that the document does not describe, with a text in its query, behind its path, in a cookie and in a body.
 * @param panel the cookie of the demo's panel
 */
const pages = (panel: string): Page[] => {
  const routes = [...UNDESCRIBED, ...FILES.map((path) => `GET ${path}`)].map((route) => route.split(' '));
  return [...routes, ['GET', SETTINGS], ['PATCH', SETTINGS]].flatMap(([method = '', path = '']) => {
    const at = (name: string, of: Page['of']): Page => ({ method, path, name, of });
    const read = READ[path] ?? 'x';
    const shown: Record<string, string> =
      path === '/metrics' ? { authorization: `Bearer ${METRICS_TOKEN}` } : {};
    const headers: Record<string, string> =
      panel && path.startsWith('/demo/panel') ? { cookie: panel } : shown;
    const cookie = (text: string) =>
      `parlor=${inHeader(text)}; parlor_panel=${inHeader(text)}`.slice(0, 8_000);
    return [
      at(`the query: ${read}`, (text) => ({
        path: `${path}?${read}=${encodeURIComponent(text)}`,
        options: { headers },
      })),
      at('the path', (text) => ({ path: `${path}${encodeURIComponent(text)}`, options: { headers } })),
      at('cookies', (text) => ({ path, options: { headers: { cookie: cookie(text) } } })),
      ...(method === 'GET' ? [] : [at('the body', (text) => ({ path, options: { headers, body: text } }))]),
    ];
  });
};

/** The settings that the demo's panel saves, with a text in each. */
const settings = (url: string, cookie: string): Page[] =>
  textFields(resolved('#/components/schemas/NewWidget'), resolved).map((field) => ({
    method: 'PATCH',
    path: SETTINGS,
    name: field.name,
    of: (text) => ({
      path: SETTINGS,
      options: { headers: { cookie, origin: url }, body: field.holding(text, {}) },
    }),
  }));

/** Opens the panel by the link that the start has printed; empty where there is no panel. */
export const openPanel = async (printed: string): Promise<string> => {
  const link = /^Settings panel.*: (\S+)$/m.exec(printed)?.[1];
  if (link === undefined) return '';
  const answer = await fetch(link, { redirect: 'manual' });
  await answer.body?.cancel();
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
};

/** What nobody describes, and has texts to read all the same. */
export const pageAttempts = (
  app: RemoteApp,
  url: string,
  panel: string,
  choose: ReturnType<typeof chooser>,
): Attempt[] =>
  [...pages(panel), ...settings(url, panel)].map(({ method, path: page, name, of }) => {
    const { name: kind, text } = hostileText(choose);
    const isShort = name !== 'the body' && page !== SETTINGS;
    const { path, options } = of(isShort ? Buffer.from(text.slice(0, 700)).toString() : text);
    return {
      name: `${method} ${page} with ${kind} in ${name}`,
      run: async () => [await app.request(method, path, options)],
    };
  });
