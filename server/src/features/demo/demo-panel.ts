import { NewWidget } from '@parlor/shared';
import compose from 'koa-compose';
import { takesMethod } from '../../http/allowed-methods.ts';
import type { Handler } from '../../http/context.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import { readPatch } from '../../http/validate.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { presentWidget } from '../widgets/widgets.service.ts';
import { SHOP } from './demo-shop.ts';
import { type DemoServices, demoWidget } from './demo-widget.ts';
import { ENTRANCE_PATH } from './panel-access.ts';

/** Where the panel reads and changes the demo widget's settings. */
export const SETTINGS_PATH = '/demo/panel/settings';

/** What somebody reads who comes without the link. */
const CLOSED_PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>The panel is closed</title>
<h1>This panel is closed</h1>
<p>It opens by the link that Parlor prints when it starts. The link is good once, and for 15 minutes;
start Parlor anew to get another one.</p>
</html>
`;

/** What the demo's panel is made of. */
type PanelServices = Pick<DemoServices, 'accounts' | 'widgets' | 'panelAccess'>;

interface AccessParts {
  panelAccess: DemoServices['panelAccess'];
  /** Counts keys that are tried out. */
  rateLimits: Pick<RateLimits, 'countAddress'>;
}

/** GET of the printed link, which opens the panel to the browser that follows it; before everything of the panel. */
export const demoPanelAccess =
  ({ panelAccess, rateLimits }: AccessParts): Handler =>
  async (ctx, next) => {
    if (!ctx.path.startsWith('/demo/panel')) return next();
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Referrer-Policy', 'no-referrer');
    if (ctx.method === 'GET' && ctx.path === ENTRANCE_PATH && panelAccess.enter(ctx)) {
      ctx.redirect('/demo/panel/');
      ctx.status = 303;
      return undefined;
    }
    if (panelAccess.isOpen(ctx)) return next();
    if (ctx.path === ENTRANCE_PATH) await rateLimits.countAddress(ctx, 'unknown');
    if (ctx.path === SETTINGS_PATH) throw forbidden();
    ctx.status = 403;
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = CLOSED_PAGE;
    return undefined;
  };

/** GET and PATCH /demo/panel/settings: the demo widget for the demo's own panel, and for nobody else. */
export const demoPanelSettings = (services: PanelServices): Handler => {
  const read: Handler = async (ctx) => {
    const widget = await demoWidget(services);
    if (!widget) throw notFound();
    const defaults = NewWidget.parse({});
    ctx.body = { widget: presentWidget(widget), defaults, shop: { ...defaults, ...SHOP } };
  };

  const change: Handler = async (ctx) => {
    const widget = await demoWidget(services);
    if (!widget) throw notFound();
    const wanted = readPatch(NewWidget, ctx.state.body);
    ctx.body = presentWidget(await services.widgets.change(widget.account, widget.token, wanted));
  };

  /** Only the panel's own script: any page on the web may send a browser's request to this machine. */
  const sameOrigin: Handler = (ctx, next) => {
    const origin = ctx.get('Origin');
    if (!URL.canParse(origin) || new URL(origin).host !== ctx.host) throw forbidden();
    if (!['', 'same-origin'].includes(ctx.get('Sec-Fetch-Site'))) throw forbidden();
    return next();
  };

  const changing = compose([sameOrigin, jsonBody(), change]);
  return (ctx, next) => {
    if (ctx.path !== SETTINGS_PATH) return next();
    ctx.set('Cache-Control', 'no-store');
    if (!takesMethod(ctx, ['GET', 'HEAD', 'PATCH'])) return undefined;
    return ctx.method === 'PATCH' ? changing(ctx, next) : read(ctx, next);
  };
};
