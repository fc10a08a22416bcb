import { fileURLToPath } from 'node:url';
import { READ_METHODS, takesMethod } from '../../http/allowed-methods.ts';
import type { Context, Handler } from '../../http/context.ts';
import { FileSet } from '../../http/file-set.ts';
import { PANEL_MARK, SITE, siteFileOf } from '../demo/site-cases.ts';

/** The script that puts the widget on the pages, as the console has built it. */
const SCRIPTS = fileURLToPath(new URL('../../../../console/dist/preview', import.meta.url));

const PATH = '/console/preview/';

/** The tag of the widget, in whose place the script stands. */
const TAG = /<script src="\/widget\.js"[^>]*><\/script>/;

/**
 * What the widget is promised, without the live channel. Without an origin of its own the page reaches neither the
 * console nor what visitors keep in this browser. Pictures are the owner's, from wherever they lie.
 */
const policyOf = (isStyled: boolean): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: https: http:",
    ...(isStyled ? ["style-src 'self'"] : []),
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts allow-forms',
  ].join('; ');

/**
 * GET /console/preview/: a website with the widget on it, as the console's studio shows it beside its settings. The
 * settings come from there, without a token: no conversation can begin here. Opened by itself it has no widget.
 */
export const previewPages = (): Handler => {
  const files = new FileSet(SITE);
  const scripts = new FileSet(SCRIPTS);

  const send = (ctx: Context, set: FileSet, path: string): void => {
    if (!takesMethod(ctx, READ_METHODS)) return;
    ctx.set('Cache-Control', 'no-cache');
    set.send(ctx, path);
  };

  return (ctx, next) => {
    if (!ctx.path.startsWith(PATH)) return next();
    const rest = ctx.path.slice(PATH.length);
    if (scripts.has(rest)) return send(ctx, scripts, rest);
    const { site, path } = siteFileOf(rest);
    if (path.startsWith('panel/') || !files.has(path)) return next();
    if (!path.endsWith('.html')) return send(ctx, files, path);
    if (!takesMethod(ctx, READ_METHODS)) return undefined;
    ctx.set('Cache-Control', 'no-cache');
    // It has no origin that could be kept apart from others.
    ctx.remove('Origin-Agent-Cluster');
    ctx.set('Content-Security-Policy', policyOf(site.isStyled));
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = site
      .page(files.text(path) ?? '')
      .replace(TAG, `<script src="${PATH}preview.js" defer></script>`)
      .replace(PANEL_MARK, '');
    return undefined;
  };
};
