import type Router from '@koa/router';
import type Koa from 'koa';
import helmet from 'koa-helmet';
import type { Services } from './compose.ts';
import { createAuthenticator } from './features/access/authenticate.ts';
import { confirmEmailRoutes } from './features/accounts/confirm-email.routes.ts';
import { createDeviceCookie } from './features/members/device-cookie.ts';
import { SessionCookie } from './features/members/session-cookie.ts';
import { metricsRoutes } from './features/metrics/metrics.routes.ts';
import { Metrics } from './features/metrics/metrics.ts';
import { staticFiles } from './features/site/static-files.ts';
import { addRoutes } from './http/add-routes.ts';
import { allowHeader, createMethodsOf, onlyAllowed } from './http/allowed-methods.ts';
import { createBaseUrl } from './http/base-url.ts';
import { refuseBodies } from './http/body-chunks.ts';
import { chunkedResponse } from './http/chunked-response.ts';
import { createClientAddress } from './http/client-address.ts';
import type { State } from './http/context.ts';
import { createCors } from './http/cors.ts';
import { keepDiskReserve } from './http/disk-reserve.ts';
import { errorResponses } from './http/error-responses.ts';
import { createIdempotency } from './http/idempotency.ts';
import { IndexedRouter } from './http/indexed-router.ts';
import { newApp } from './http/new-app.ts';
import { refuseWithoutKey } from './http/own-keys.ts';
import { refuseUpgrades } from './http/refused-upgrades.ts';
import { requestIdHeader, requestLog } from './http/request-log.ts';
import { refuseUnreadable } from './http/request-target.ts';
import type { Route } from './http/route.ts';
import { Stopping } from './http/stopping.ts';
import { refuseAmbiguous } from './http/unambiguous.ts';
import { unreadBody } from './http/unread-body.ts';
import { docsRoutes } from './openapi/openapi.routes.ts';
import { createRoutes } from './routes.ts';

/** Headers for everything; the widget's files and the API are made to be used from other origins. */
const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  // Whether a host is always reached by HTTPS is for the proxy in front to say.
  strictTransportSecurity: false,
});

/** Everything that is routed by method and path: the API, and the pages that are no part of it. */
export const createRouter = (
  services: Services,
  metrics: Metrics = new Metrics(services),
): { router: Router<State>; routes: readonly Route[] } => {
  const { config, models, rateLimits, secrets } = services;
  const baseUrl = createBaseUrl(config);
  const sessionCookie = new SessionCookie(baseUrl);
  const deviceCookie = createDeviceCookie(baseUrl);
  const routes = createRoutes({ ...services, baseUrl, deviceCookie, sessionCookie });
  const router = new IndexedRouter();
  metricsRoutes(router, { config, metrics, rateLimits });
  docsRoutes(router);
  confirmEmailRoutes(router, services);
  addRoutes(router, routes, {
    authenticate: createAuthenticator({ ...services, sessionCookie }),
    idempotent: createIdempotency(models.idempotency, secrets),
    rateLimits,
  });
  return { router, routes };
};

/** The whole HTTP side of Parlor; opens no socket, so that tests call it directly. */
export const createApp = (
  services: Services,
  metrics: Metrics = new Metrics(services),
  stopping: Stopping = new Stopping(),
): Koa<State> => {
  const { config, log } = services;
  const { router, routes } = createRouter(services, metrics);
  const app = newApp(log);
  const clientAddress = createClientAddress(config.TRUST_PROXY);

  app.use(stopping.endConnections);
  app.use(chunkedResponse);
  app.use(requestLog(log));
  app.use((ctx, next) => {
    ctx.request.ip = clientAddress(ctx.req);
    return next();
  });
  app.use(metrics.measure());
  app.use(unreadBody(stopping));
  app.use(requestIdHeader);
  app.use(securityHeaders);
  app.use(errorResponses(log));
  app.use(stopping.giveUp);
  app.use(refuseBodies);
  app.use(refuseUnreadable);
  app.use(refuseAmbiguous);
  app.use(refuseUpgrades);
  const methodsOf = createMethodsOf(router);
  app.use(allowHeader(methodsOf));
  app.use(createCors(routes));
  app.use(onlyAllowed(methodsOf));
  app.use(keepDiskReserve(services.diskReserve));
  app.use(refuseWithoutKey(services.keys));
  app.use(router.routes());
  app.use(staticFiles(services));
  return app;
};
