import { fileURLToPath } from 'node:url';
import compose from 'koa-compose';
import { READ_METHODS, takesMethod } from '../../http/allowed-methods.ts';
import type { Handler } from '../../http/context.ts';
import { FileSet, HASHED_CACHE } from '../../http/file-set.ts';
import { isTrial } from '../../platform/config.ts';
import { demoPanelAccess, demoPanelSettings } from '../demo/demo-panel.ts';
import { demoSite } from '../demo/demo-site.ts';
import type { DemoServices } from '../demo/demo-widget.ts';
import { consolePages } from './console-pages.ts';
import { previewPages } from './preview-pages.ts';
import { startPage } from './start-page.ts';

/** The built widget: loader.js, and assets/ whose names carry a hash of their content. */
const WIDGET_FILES = fileURLToPath(new URL('../../../../widget/dist', import.meta.url));

/** The loader changes with a deploy, its address does not. */
const LOADER_CACHE = 'public, max-age=300, stale-while-revalidate=86400';

/** GET /widget.js, the loader, and /widget/<file>, what it fetches when it is needed; from any customer's page. */
const widgetFiles = (): Handler => {
  const files = new FileSet(WIDGET_FILES);
  return (ctx, next) => {
    const isLoader = ctx.path === '/widget.js';
    const path = isLoader ? 'loader.js' : ctx.path.replace(/^\/widget\//, 'assets/');
    if (path === ctx.path || !files.has(path)) return next();
    ctx.set('Access-Control-Allow-Origin', '*');
    if (!takesMethod(ctx, READ_METHODS)) return undefined;
    files.send(ctx, path);
    ctx.set('Cache-Control', isLoader ? LOADER_CACHE : HASHED_CACHE);
    return undefined;
  };
};

/**
 * Everything that is not the API: the widget's files and, for somebody who tries Parlor out, a customer's website with
 * the widget on it. Nowhere else: there anybody could register the demo's account, or show a widget under this name.
 */
export const staticFiles = (services: DemoServices & Parameters<typeof demoPanelAccess>[0]): Handler =>
  compose([
    widgetFiles(),
    previewPages(),
    consolePages(),
    startPage(isTrial(services.config)),
    ...(isTrial(services.config)
      ? [demoPanelAccess(services), demoPanelSettings(services), demoSite(services)]
      : []),
  ]);
