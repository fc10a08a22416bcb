import { fileURLToPath } from 'node:url';
import { inboxList, inboxQuery, inboxViewAt } from '@parlor/shared/inbox-views';
import { READ_METHODS, takesMethod } from '../../http/allowed-methods.ts';
import type { Handler } from '../../http/context.ts';
import { FileSet, HASHED_CACHE } from '../../http/file-set.ts';

/** The built console: one page, what makes it an app, and assets/ whose names carry a hash of their content. */
const CONSOLE_FILES = fileURLToPath(new URL('../../../../console/dist', import.meta.url));

const PATH = '/console/';

/**
 * Everything from this server, nothing inline, no other site around it; what is no text can't become a script, but for
 * the address of the one that lays graphs out beside the page.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self'",
  // The studio's preview of a widget.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types layout',
].join('; ');

/** The longest path with preloads (characters): a tag of 40 takes up to 480, and proxies buffer 4 KiB of headers. */
const MAX_PRELOAD_PATH = 600;

/**
 * What the inbox asks for first: a browser fetches it while the console's script is on its way (preload). Only where the
 * page asks for it at once: what it has asked before somebody is signed in would be used after it. So not at /console/,
 * where a link that signs in leads to.
 */
const preloadsOf = (path: string): string[] => {
  if (path.length > MAX_PRELOAD_PATH) return [];
  const query = inboxQuery(inboxViewAt(path) ?? '');
  if (query === undefined) return [];
  const paths = ['auth/session', 'account/', inboxList(query)];
  return paths.map((path) => `</api/v1/${path}>; rel=preload; as=fetch; crossorigin`);
};

/** GET /console/ and all pages below it, which are one document, and the files that it is made of. */
export const consolePages = (): Handler => {
  const files = new FileSet(CONSOLE_FILES);
  return (ctx, next) => {
    if (ctx.path === '/console') {
      if (takesMethod(ctx, READ_METHODS)) ctx.redirect(PATH);
      return undefined;
    }
    const path = ctx.path.startsWith(PATH) ? ctx.path.slice(PATH.length) : undefined;
    const isAsset = path?.startsWith('assets/');
    if (path === undefined || (isAsset && !files.has(path))) return next();
    if (!takesMethod(ctx, READ_METHODS)) return undefined;
    // Whatever else is asked for is a page.
    files.send(ctx, files.has(path) ? path : 'index.html');
    ctx.set('Cache-Control', isAsset ? HASHED_CACHE : 'no-cache');
    ctx.set('Content-Security-Policy', POLICY);
    ctx.append('Link', preloadsOf(ctx.path));
    ctx.set('Cross-Origin-Resource-Policy', 'same-origin');
    return undefined;
  };
};
