import { fileURLToPath } from 'node:url';
import type { Context, Handler } from '../http/context.ts';
import type { Services } from '../services.ts';
import { FileSet } from './file-set.ts';

const SITE = fileURLToPath(new URL('../../../demo/site', import.meta.url));

/** The account that the very first start makes (contract 8). */
export const DEMO_USERNAME = 'demo';

/** Where the pages' script tag gets the widget's token. */
const TOKEN_MARK = '__WIDGET_TOKEN__';

/** The strict policy that Parlor promises to run under, and the site's own style sheet (design: The widget). */
const policyFor = (ctx: Context): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `connect-src 'self' ws://${ctx.host} wss://${ctx.host}`,
    "img-src 'self' data:",
    "style-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * GET /demo/: a small customer's website with the widget on it. The widget is the demo account's, or the one
 * that `?widget=<token>` names, to see one's own on a page.
 */
export const demoSite = ({ accounts, widgets }: Pick<Services, 'accounts' | 'widgets'>): Handler => {
  const files = new FileSet(SITE);

  const demoToken = async (): Promise<string> => {
    const account = await accounts.byUsername(DEMO_USERNAME);
    return (account && (await widgets.firstOf(account._id)))?.token ?? '';
  };

  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === '/' || ctx.path === '/demo') return ctx.redirect('/demo/');
    if (!ctx.path.startsWith('/demo/')) return next();

    const asked = ctx.path.slice('/demo/'.length);
    const path = asked === '' || asked.endsWith('/') ? `${asked}index.html` : asked;
    ctx.set('Cache-Control', 'no-cache');
    if (!path.endsWith('.html')) return files.send(ctx, path) ? undefined : next();
    const page = files.text(path);
    if (page === undefined) return next();

    const named = String(ctx.query.widget ?? '');
    const token = /^[A-Za-z0-9]{1,64}$/.test(named) ? named : await demoToken();
    ctx.set('Content-Security-Policy', policyFor(ctx));
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = page.replaceAll(TOKEN_MARK, token);
  };
};
