import { NewWidget } from '@parlor/shared';
import compose from 'koa-compose';
import type { Config } from '../config.ts';
import { forbidden, notFound } from '../errors.ts';
import type { Context, Handler } from '../http/context.ts';
import { jsonBody } from '../http/json-body.ts';
import { readPatch } from '../http/validate.ts';
import type { Services } from '../services.ts';
import { presentWidget } from '../widgets/widgets.service.ts';
import { demoWidget } from './demo-widget.ts';

/** Where the panel reads and changes the demo widget's settings. */
export const SETTINGS_PATH = '/demo/panel/settings';

const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;
const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/i;

/** What a proxy in front adds: then the browser is somewhere else, whatever the address says. */
const FORWARDED = [
  'Forwarded',
  'Via',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Real-IP',
];

/**
 * Whether a request may see the demo's settings panel, which changes the demo widget without a credential: only a
 * browser on this very machine, of a server that is being tried out. The Host is checked, too, so that a foreign
 * name that resolves to this machine (DNS rebinding) opens nothing.
 */
export const isPanelOpen = (
  { MONGODB_URL, PUBLIC_URL, TRUST_PROXY }: Pick<Config, 'MONGODB_URL' | 'PUBLIC_URL' | 'TRUST_PROXY'>,
  ctx: Context,
): boolean =>
  MONGODB_URL === '' &&
  PUBLIC_URL === '' &&
  !TRUST_PROXY &&
  LOOPBACK_HOST.test(ctx.host) &&
  LOOPBACK_ADDRESS.test(ctx.req.socket.remoteAddress ?? '') &&
  FORWARDED.every((header) => ctx.get(header) === '');

/** GET and PATCH /demo/panel/settings: the demo widget for the demo's own panel, and for nobody else. */
export const demoPanelSettings = (services: Pick<Services, 'accounts' | 'widgets' | 'config'>): Handler => {
  const read: Handler = async (ctx) => {
    const widget = await demoWidget(services);
    if (!widget) throw notFound();
    ctx.body = { widget: presentWidget(widget), defaults: NewWidget.parse({}) };
  };

  const change: Handler = async (ctx) => {
    const widget = await demoWidget(services);
    if (!widget) throw notFound();
    const wanted = readPatch(NewWidget, ctx.state.body);
    ctx.body = presentWidget(await services.widgets.change(widget.account, widget.token, wanted));
  };

  /** Only the panel's own script: any page on the web may send a browser's request to this machine. */
  const sameOrigin: Handler = (ctx, next) => {
    if (ctx.get('Origin') !== `${ctx.protocol}://${ctx.host}`) throw forbidden();
    if (!['', 'same-origin'].includes(ctx.get('Sec-Fetch-Site'))) throw forbidden();
    return next();
  };

  const changing = compose([sameOrigin, jsonBody(), change]);
  return (ctx, next) => {
    if (ctx.path !== SETTINGS_PATH || !isPanelOpen(services.config, ctx)) return next();
    ctx.set('Cache-Control', 'no-store');
    if (ctx.method === 'GET') return read(ctx, next);
    if (ctx.method === 'PATCH') return changing(ctx, next);
    return next();
  };
};
