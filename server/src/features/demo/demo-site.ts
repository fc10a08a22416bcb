import { READ_METHODS, takesMethod } from '../../http/allowed-methods.ts';
import { createBaseUrl } from '../../http/base-url.ts';
import type { Context, Handler } from '../../http/context.ts';
import { FileSet } from '../../http/file-set.ts';
import { type DemoServices, demoWidget } from './demo-widget.ts';
import { PANEL_MARK, promisedPolicy, SITE, siteFileOf } from './site-cases.ts';

/** Where the pages' script tag gets the widget's token. */
const TOKEN_MARK = '__WIDGET_TOKEN__';
const PANEL_LINK = '<a href="/demo/panel/" target="_top">Change the chat’s settings</a>';

/** What the pages add for themselves: their style sheet, and the panel's preview of them. */
const OWN_POLICY = "style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";

/** What the panel itself is made of. */
const PANEL_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const socketsOf = (server: string): string => server.replace(/^http/, 'ws');

const ownPolicy = (server: string): string => `${promisedPolicy("'self'", socketsOf(server))}; ${OWN_POLICY}`;

const strictPolicy = (server: string): string => promisedPolicy(server, socketsOf(server));

/**
 * GET /demo/: a small customer's website with the widget on it. The widget is the demo account's, or the one
 * that `?widget=<token>` names, to see one's own on a page. /demo/panel/ is where the demo account's is set.
 */
export const demoSite = (services: DemoServices): Handler => {
  const files = new FileSet(SITE);
  const baseUrl = createBaseUrl(services.config);

  const sendPage = async (
    ctx: Context,
    { page, isStyled }: ReturnType<typeof siteFileOf>['site'],
    html: string,
  ): Promise<void> => {
    const named = String(ctx.query.widget ?? '');
    const token = /^[A-Za-z0-9]{1,64}$/.test(named) ? named : (await demoWidget(services))?.token;
    const hasPanel = services.panelAccess.isOpen(ctx) && token !== undefined && token !== named;
    ctx.set('Content-Security-Policy', (isStyled ? ownPolicy : strictPolicy)(baseUrl(ctx)));
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = page(html)
      .replaceAll(TOKEN_MARK, token ?? '')
      .replace(PANEL_MARK, hasPanel ? PANEL_LINK : '');
  };

  return async (ctx, next) => {
    if (ctx.path === '/demo') {
      return takesMethod(ctx, READ_METHODS) ? ctx.redirect('/demo/') : undefined;
    }
    if (!ctx.path.startsWith('/demo/')) return next();

    const { site, path } = siteFileOf(ctx.path.slice('/demo/'.length));
    const isPanel = path.startsWith('panel/');
    // The panel has one way in, which demo-panel.ts watches.
    if (!files.has(path) || (isPanel && !ctx.path.startsWith('/demo/panel/'))) return next();
    if (!takesMethod(ctx, READ_METHODS)) return undefined;
    ctx.set('Cache-Control', 'no-cache');
    if (isPanel) ctx.set('Content-Security-Policy', PANEL_POLICY);
    if (!isPanel && path.endsWith('.html')) return sendPage(ctx, site, files.text(path) ?? '');
    files.send(ctx, path);
    return undefined;
  };
};
