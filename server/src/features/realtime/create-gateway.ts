import { createClientAddress } from '../../http/client-address.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import { type Config, isOnlyProcess } from '../../platform/config.ts';
import { ConnectionLimiter } from './connection-limiter.ts';
import { CredentialCheck, type CredentialCheckParts } from './credential-check.ts';
import { Gateway, type GatewayParts } from './gateway.ts';
import type { OpenConnectionsModel } from './open-connections.model.ts';
import { type LivingProcesses, OpenConnections } from './open-connections.ts';

/** The gateway of a server process; its HTTP server has to be attached. */
export const createGateway = (
  services: Omit<GatewayParts, 'credentialCheck' | 'limiter' | 'openConnections' | 'isLimited'> &
    CredentialCheckParts & {
      config: Pick<
        Config,
        'EMBEDDED_MONGODB_LISTEN' | 'MONGODB_URL' | 'RATE_LIMIT' | 'REALTIME_CONNECTIONS' | 'TRUST_PROXY'
      >;
      models: { openConnections: OpenConnectionsModel };
      processes: LivingProcesses;
      rateLimits: Pick<RateLimits, 'takeAddress'>;
    },
): Gateway => {
  const {
    baseUrl,
    channel,
    config,
    countsTeller,
    frames,
    identify,
    log,
    models,
    presence,
    processes,
    rateLimits,
    seesLeads,
    mayWrite,
    typing,
    viewing,
  } = services;
  const max = config.REALTIME_CONNECTIONS;
  const sharing = isOnlyProcess(config) ? undefined : processes;
  const openConnections = new OpenConnections(models.openConnections, max, sharing, log);
  const opens = config.RATE_LIMIT
    ? (address: string) => rateLimits.takeAddress('realtime', address)
    : undefined;
  return new Gateway({
    channel,
    frames,
    typing,
    viewing,
    presence,
    countsTeller,
    credentialCheck: new CredentialCheck({ ...services, connections: channel.connections }, log),
    identify,
    baseUrl,
    credentials: services.credentials,
    seesLeads,
    mayWrite,
    log,
    limiter: new ConnectionLimiter(opens, openConnections, createClientAddress(config.TRUST_PROXY)),
    openConnections,
    isLimited: config.RATE_LIMIT,
  });
};
