import Router from '@koa/router';
import Koa from 'koa';
import helmet from 'koa-helmet';
import type { Services } from './compose.ts';
import { createAuthenticator } from './features/access/authenticate.ts';
import { accountRoutes } from './features/accounts/accounts.routes.ts';
import { confirmEmailRoutes } from './features/accounts/confirm-email.routes.ts';
import { conversationRoutes } from './features/agent/conversations.routes.ts';
import { workflowRoutes } from './features/agent/workflows.routes.ts';
import { healthRoutes } from './features/health/health.routes.ts';
import { keywordRoutes } from './features/keywords/keywords.routes.ts';
import { leadRoutes } from './features/leads/leads.routes.ts';
import { messageRoutes } from './features/messages/messages.routes.ts';
import { metricsRoutes } from './features/metrics/metrics.routes.ts';
import { Metrics } from './features/metrics/metrics.ts';
import { roomRoutes } from './features/rooms/rooms.routes.ts';
import { staticFiles } from './features/site/static-files.ts';
import { sessionRoutes } from './features/visitors/sessions.routes.ts';
import { deliveryRoutes } from './features/webhooks/deliveries.routes.ts';
import { webhookRoutes } from './features/webhooks/webhooks.routes.ts';
import { widgetRoutes } from './features/widgets/widgets.routes.ts';
import { allowHeader, createMethodsOf, onlyAllowed } from './http/allowed-methods.ts';
import { createBaseUrl } from './http/base-url.ts';
import { createClientAddress } from './http/client-address.ts';
import type { State } from './http/context.ts';
import { widgetCors } from './http/cors.ts';
import { keepDiskReserve } from './http/disk-reserve.ts';
import { errorResponses } from './http/error-responses.ts';
import { createIdempotency } from './http/idempotency.ts';
import { inPieces } from './http/in-pieces.ts';
import { requestIdHeader, requestLog } from './http/request-log.ts';
import { unreadBody } from './http/unread-body.ts';
import { openApiRoutes } from './openapi/openapi.routes.ts';

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

/** Every route of the REST API; the OpenAPI document describes the same ones. */
export const createRoutes = (services: Services, metrics: Metrics = new Metrics(services)): Router<State> => {
  const { config, models, secrets } = services;
  const baseUrl = createBaseUrl(config);
  const authenticate = createAuthenticator(services);
  const idempotent = createIdempotency(models.idempotency, secrets);
  const given = { ...services, authenticate, idempotent, baseUrl };

  const router = new Router<State>();
  healthRoutes(router, services);
  metricsRoutes(router, { config, metrics });
  openApiRoutes(router, services);
  accountRoutes(router, given);
  confirmEmailRoutes(router, services);
  widgetRoutes(router, given);
  sessionRoutes(router, given);
  roomRoutes(router, given);
  messageRoutes(router, given);
  leadRoutes(router, given);
  keywordRoutes(router, given);
  webhookRoutes(router, given);
  deliveryRoutes(router, given);
  workflowRoutes(router, given);
  conversationRoutes(router, given);
  return router;
};

/** The whole HTTP side of Parlor; opens no socket, so that tests call it directly. */
export const createApp = (services: Services, metrics: Metrics = new Metrics(services)): Koa<State> => {
  const { config, log } = services;
  const router = createRoutes(services, metrics);
  const app = new Koa<State>();
  const clientAddress = createClientAddress(config.TRUST_PROXY);
  app.on('error', (error) => log.warn({ err: error }, 'answer broke off'));

  app.use(inPieces);
  app.use(requestLog(log));
  app.use((ctx, next) => {
    ctx.request.ip = clientAddress(ctx.req);
    return next();
  });
  app.use(metrics.measure());
  app.use(unreadBody);
  app.use(requestIdHeader);
  app.use(securityHeaders);
  app.use(errorResponses(log));
  const methodsOf = createMethodsOf(router);
  app.use(allowHeader(methodsOf));
  app.use(widgetCors());
  app.use(onlyAllowed(methodsOf));
  app.use(keepDiskReserve(services.diskReserve));
  app.use(router.routes());
  app.use(staticFiles(services));
  return app;
};
