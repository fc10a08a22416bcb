import { fileURLToPath } from 'node:url';
import { READ_METHODS, takesMethod } from '../../http/allowed-methods.ts';
import { createBaseUrl } from '../../http/base-url.ts';
import type { Context, Handler } from '../../http/context.ts';
import { FileSet } from '../../http/file-set.ts';
import { type DemoServices, demoWidget } from './demo-widget.ts';

const SITE = fileURLToPath(new URL('../../../../demo/site', import.meta.url));

/** Where the pages' script tag gets the widget's token, and where a page leads to the settings panel. */
const TOKEN_MARK = '__WIDGET_TOKEN__';
const PANEL_MARK = '<!-- settings panel -->';
const PANEL_LINK = '<a href="/demo/panel/" target="_top">Change the chat’s settings</a>';

/** What Parlor promises to run under, given where it is served (docs/contract.md#widget). */
const promisedPolicy = (server: string, sockets: string): string =>
  [
    "default-src 'none'",
    `script-src ${server}`,
    `connect-src ${server} ${sockets}`,
    `img-src ${server} data:`,
  ].join('; ');

/** What the pages add for themselves: their style sheet, and the panel's preview of them. */
const OWN_POLICY = "style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";

/** What the panel itself is made of. */
const PANEL_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const socketsOf = (server: string): string => server.replace(/^http/, 'ws');

const ownPolicy = (server: string): string => `${promisedPolicy("'self'", socketsOf(server))}; ${OWN_POLICY}`;

/** What becomes of a page's HTML and its policy. */
interface Case {
  page(html: string): string;
  policy(server: string): string;
}

/**
 * The site as other customers' sites may be, each under a path of its own so that its links stay in it:
 * with a style sheet that attacks everything, and with nothing allowed but what the widget asks for.
 */
const CASES: Record<string, Case> = {
  '': { page: (html) => html, policy: ownPolicy },
  'hostile/': {
    page: (html) => html.replace('</head>', '<link rel="stylesheet" href="hostile.css"></head>'),
    policy: ownPolicy,
  },
  'strict/': {
    page: (html) => html.replace(/<link rel="stylesheet"[^>]*>/g, ''),
    policy: (server) => promisedPolicy(server, socketsOf(server)),
  },
};

/**
 * GET /demo/: a small customer's website with the widget on it. The widget is the demo account's, or the one
 * that `?widget=<token>` names, to see one's own on a page. /demo/panel/ is where the demo account's is set.
 */
export const demoSite = (services: DemoServices): Handler => {
  const files = new FileSet(SITE);
  const baseUrl = createBaseUrl(services.config);

  const sendPage = async (ctx: Context, folder: string, html: string): Promise<void> => {
    const { page, policy } = CASES[folder] as Case;
    const named = String(ctx.query.widget ?? '');
    const token = /^[A-Za-z0-9]{1,64}$/.test(named) ? named : (await demoWidget(services))?.token;
    const hasPanel = services.panelAccess.isOpen(ctx) && token !== undefined && token !== named;
    ctx.set('Content-Security-Policy', policy(baseUrl(ctx)));
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = page(html)
      .replaceAll(TOKEN_MARK, token ?? '')
      .replace(PANEL_MARK, hasPanel ? PANEL_LINK : '');
  };

  return async (ctx, next) => {
    if (ctx.path === '/demo') {
      return takesMethod(ctx, READ_METHODS) ? ctx.redirect('/demo/') : undefined;
    }
    const [, folder = '', asked = ''] = /^\/demo\/((?:hostile|strict)\/)?(.*)$/.exec(ctx.path) ?? [];
    if (!ctx.path.startsWith('/demo/')) return next();

    const isPanel = asked.startsWith('panel/');
    const path = asked === '' || asked.endsWith('/') ? `${asked}index.html` : asked;
    if (!files.has(path)) return next();
    if (!takesMethod(ctx, READ_METHODS)) return undefined;
    ctx.set('Cache-Control', 'no-cache');
    if (isPanel) ctx.set('Content-Security-Policy', PANEL_POLICY);
    if (!isPanel && path.endsWith('.html')) return sendPage(ctx, folder, files.text(path) ?? '');
    files.send(ctx, path);
    return undefined;
  };
};
