import ipaddr from 'ipaddr.js';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { RateLimiterMongo } from 'rate-limiter-flexible';
import type { Config } from '../config.ts';
import { throttled } from '../errors.ts';
import type { Context } from './context.ts';
import { RateLimit } from './rate-limit.ts';

/** The window of a limit, in seconds, and of those that have another one. */
const WINDOW = 60;
const WINDOWS: Partial<Record<LimitGroup, number>> = { 'wrong-passwords-name': 3_600 };

const COLLECTION = 'ratelimits';

/** The limited groups (contract 8) and the settings that hold their limits. */
const GROUPS = {
  'sign-in': 'RATE_LIMIT_SIGN_IN',
  register: 'RATE_LIMIT_REGISTER',
  'wrong-passwords': 'RATE_LIMIT_WRONG_PASSWORDS',
  'wrong-passwords-name': 'RATE_LIMIT_WRONG_PASSWORDS_NAME',
  unknown: 'RATE_LIMIT_UNKNOWN',
  readyz: 'RATE_LIMIT_READYZ',
  visitor: 'RATE_LIMIT_VISITOR',
  'visitor-ip': 'RATE_LIMIT_VISITOR_IP',
  sessions: 'RATE_LIMIT_SESSIONS',
  api: 'RATE_LIMIT_API',
  'agent-start': 'RATE_LIMIT_AGENT_START',
  'agent-conversation': 'RATE_LIMIT_AGENT_CONVERSATION',
  'agent-ip': 'RATE_LIMIT_AGENT_IP',
  'agent-key': 'RATE_LIMIT_AGENT_KEY',
  realtime: 'RATE_LIMIT_REALTIME',
} as const satisfies Record<string, keyof Config>;

export type LimitGroup = keyof typeof GROUPS;

/** An address as limits count it: IPv6 by its /64, which is what one customer of a provider has. */
export const limitedAddress = (address: string): string => {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
};

/** Adds an item to a header that is a list (RFC 9651, 3.1). */
const addItem = (ctx: Context, name: string, item: string): void => {
  const before = ctx.response.get(name);
  ctx.set(name, before ? `${before}, ${item}` : item);
};

/** All the limits; with RATE_LIMIT=off none of them. */
export class RateLimits {
  readonly #limits: ReadonlyMap<LimitGroup, RateLimit>;
  readonly #store: RateLimiterMongo | undefined;

  constructor(config: Config, connection: Connection, log: Logger) {
    const groups = config.RATE_LIMIT ? (Object.entries(GROUPS) as [LimitGroup, keyof Config][]) : [];
    // A count that a crash loses is no loss: these writes need not wait for the journal.
    const database = connection.getClient().db(connection.name, { writeConcern: { w: 1, journal: false } });
    const stores = groups.map(([group, setting]) => {
      const store = new RateLimiterMongo({
        storeClient: database,
        tableName: COLLECTION,
        keyPrefix: group,
        points: config[setting] as number,
        duration: WINDOWS[group] ?? WINDOW,
        disableIndexesCreation: true,
      });
      return [group, store] as const;
    });
    this.#store = stores[0]?.[1];
    this.#limits = new Map(stores.map(([group, store]) => [group, new RateLimit(group, store, log)]));
  }

  async createIndexes(): Promise<void> {
    await this.#store?.createIndexes();
  }

  /** The limit of a group; undefined when limits are off. */
  of(group: LimitGroup): RateLimit | undefined {
    return this.#limits.get(group);
  }

  /**
   * Counts a request, and says in its answer how many are left (draft-ietf-httpapi-ratelimit-headers-10).
   * @throws ParlorError `throttled` when it is one too many.
   */
  async count(ctx: Context, group: LimitGroup, key: string): Promise<void> {
    const limit = this.#limits.get(group);
    if (!limit) return;
    const { isAllowed, remaining, resetsIn } = await limit.take(key);
    addItem(ctx, 'RateLimit-Policy', `"${group}";q=${limit.limit};w=${WINDOWS[group] ?? WINDOW}`);
    addItem(ctx, 'RateLimit', `"${group}";r=${remaining};t=${Math.ceil(resetsIn / 1_000)}`);
    if (!isAllowed) throw throttled(resetsIn);
  }

  /** `count` by the address that the request came from. */
  countAddress(ctx: Context, group: LimitGroup): Promise<void> {
    return this.count(ctx, group, this.addressOf(ctx));
  }

  /** The address that a request came from, as limits count it. */
  addressOf(ctx: Context): string {
    return limitedAddress(ctx.ip);
  }
}
