import type { Server } from 'node:http';
import Router from '@koa/router';
import type { Logger } from 'pino';
import { createClientAddress, createIsProxy } from '../../http/client-address.ts';
import type { State } from '../../http/context.ts';
import { declineUpgrade } from '../../http/declined-upgrades.ts';
import { errorResponses } from '../../http/error-responses.ts';
import { newApp } from '../../http/new-app.ts';
import { newServer } from '../../http/new-server.ts';
import { oneAtATime } from '../../http/pipelining.ts';
import { refuseUpgrades } from '../../http/refused-upgrades.ts';
import { refuseUnreadable } from '../../http/request-target.ts';
import { type Config, ConfigError } from '../../platform/config.ts';
import { metricsRoutes } from './metrics.routes.ts';
import type { Metrics } from './metrics.ts';

/** Connections at once: far more than an operator's collectors ever have. */
const MAX_CONNECTIONS = 64;

/**
 * Serves GET /metrics, and nothing else, at METRICS_LISTEN: who reaches that address is for the operator to say.
 * @throws ConfigError when it can't listen there
 */
export const startMetricsListener = async (
  config: Pick<Config, 'METRICS_LISTEN' | 'METRICS_TOKEN' | 'RESPONSE_STALL_TIMEOUT'>,
  metrics: Metrics,
  log: Logger,
): Promise<Server | undefined> => {
  const { METRICS_LISTEN: at } = config;
  if (!at) return undefined;
  const router = new Router<State>();
  metricsRoutes(router, { config, metrics, rateLimits: undefined });
  const app = newApp(log);
  app.use(errorResponses(log));
  app.use(refuseUnreadable);
  app.use(refuseUpgrades);
  app.use(router.routes());
  const limits = {
    timeout: config.RESPONSE_STALL_TIMEOUT,
    clientAddress: createClientAddress(false),
    isProxy: createIsProxy(false),
    maxConnections: MAX_CONNECTIONS,
  };
  const { server, stopCutting } = newServer(limits, log);
  server.once('close', stopCutting);
  // Node.js lets go of a connection that offers another protocol, with its time-outs.
  server.on('upgrade', (request, socket, head) => declineUpgrade(server, request, socket, head));
  server.on('request', oneAtATime(app.callback()));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      stopCutting();
      reject(new ConfigError(`METRICS_LISTEN ${at.host}:${at.port}: ${error.message}`));
    });
    server.listen(at.port, at.host, resolve);
  });
  return server;
};
