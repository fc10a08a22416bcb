import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { RateLimiterMongo } from 'rate-limiter-flexible';
import type { Config } from '../platform/config.ts';
import { throttled } from '../platform/errors.ts';
import { addressKeys } from './client-address.ts';
import type { Context } from './context.ts';
import { RateLimit, type RateLimitResult } from './rate-limit.ts';

/** The window of a limit, and of those that have another one. */
const WINDOW_S = 60;
const WINDOWS_S: Partial<Record<LimitGroup, number>> = {
  'wrong-passwords-name': 3_600,
  'rooms-day': 86_400,
  'agent-start-day': 86_400,
  'confirmation-mail': 3_600,
  'password-reset': 3_600,
};

const COLLECTION = 'ratelimits';

/** The limited groups (docs/contract.md#rate-limits) and the settings that hold their limits. */
const GROUPS = {
  'sign-in': 'RATE_LIMIT_SIGN_IN',
  'sign-in-device': 'RATE_LIMIT_SIGN_IN',
  oidc: 'RATE_LIMIT_OIDC',
  register: 'RATE_LIMIT_REGISTER',
  'confirmation-mail': 'RATE_LIMIT_CONFIRMATION_MAIL',
  'password-reset': 'RATE_LIMIT_PASSWORD_RESET',
  'wrong-passwords': 'RATE_LIMIT_WRONG_PASSWORDS',
  'wrong-passwords-name': 'RATE_LIMIT_WRONG_PASSWORDS_NAME',
  unknown: 'RATE_LIMIT_UNKNOWN',
  readyz: 'RATE_LIMIT_READYZ',
  visitor: 'RATE_LIMIT_VISITOR',
  'visitor-ip': 'RATE_LIMIT_VISITOR_IP',
  'visitor-reads': 'RATE_LIMIT_VISITOR_READS',
  'visitor-reads-ip': 'RATE_LIMIT_VISITOR_READS_IP',
  sessions: 'RATE_LIMIT_SESSIONS',
  'rooms-day': 'RATE_LIMIT_ROOMS_DAY',
  api: 'RATE_LIMIT_API',
  'agent-start': 'RATE_LIMIT_AGENT_START',
  'agent-start-ip': 'RATE_LIMIT_AGENT_START_IP',
  'agent-start-day': 'RATE_LIMIT_AGENT_START_DAY',
  'agent-conversation': 'RATE_LIMIT_AGENT_CONVERSATION',
  'agent-ip': 'RATE_LIMIT_AGENT_IP',
  'agent-key': 'RATE_LIMIT_AGENT_KEY',
  realtime: 'RATE_LIMIT_REALTIME',
} as const satisfies Record<string, keyof Config>;

export type LimitGroup = keyof typeof GROUPS;

/** The limit of an IPv6 /48, as a multiple of that of one of its 65 536 /64 networks; so of whatever else shares one. */
export const NETWORK_FACTOR = 8;

/** By what a request is counted, and by what all those are together that it is one of. */
export interface SharedKey {
  own: string;
  shared: string | undefined;
}

/** Adds an item to a header that is a list (RFC 9651, 3.1). */
const addItem = (ctx: Context, name: string, item: string): void => {
  const before = ctx.response.get(name);
  ctx.set(name, before ? `${before}, ${item}` : item);
};

/** All the limits; with RATE_LIMIT=off none of them. */
export class RateLimits {
  readonly #limits = new Map<LimitGroup, RateLimit>();
  readonly #networks = new Map<LimitGroup, RateLimit>();
  #store: RateLimiterMongo | undefined;

  constructor(config: Config, connection: Connection, log: Logger) {
    const groups = config.RATE_LIMIT ? (Object.entries(GROUPS) as [LimitGroup, keyof Config][]) : [];
    // A count that a crash loses is no loss: these writes need not wait for the journal.
    const database = connection.getClient().db(connection.name, { writeConcern: { w: 1, journal: false } });
    const limitOf = (name: string, points: number, duration: number) => {
      const store = new RateLimiterMongo({
        storeClient: database,
        tableName: COLLECTION,
        keyPrefix: name,
        points,
        duration,
        disableIndexesCreation: true,
      });
      this.#store = store;
      return new RateLimit(name, store, log);
    };
    for (const [group, setting] of groups) {
      const points = config[setting] as number;
      const window = WINDOWS_S[group] ?? WINDOW_S;
      this.#limits.set(group, limitOf(group, points, window));
      this.#networks.set(group, limitOf(`${group}-network`, points * NETWORK_FACTOR, window));
    }
  }

  async createIndexes(): Promise<void> {
    await this.#store?.createIndexes();
  }

  /** The limit of a group; undefined when limits are off. */
  of(group: LimitGroup): RateLimit | undefined {
    return this.#limits.get(group);
  }

  /**
   * Counts a request, and says in its response how many are left (draft-ietf-httpapi-ratelimit-headers-10).
   * @throws ParlorError `throttled` when it is one too many.
   */
  async count(ctx: Context, group: LimitGroup, key: string): Promise<void> {
    await this.#count(ctx, this.#limits.get(group), key);
  }

  /** `count` by the address that the request came from, and by its network. */
  async countAddress(ctx: Context, group: LimitGroup): Promise<void> {
    const { address, network } = addressKeys(ctx.ip);
    await this.countShared(ctx, group, { own: address, shared: network });
  }

  /** Takes back what `countAddress` has counted of a request that something else refuses. */
  async giveBackAddress(ctx: Context, group: LimitGroup): Promise<void> {
    const { address, network } = addressKeys(ctx.ip);
    await this.#limits.get(group)?.giveBack(address);
    if (network) await this.#networks.get(group)?.giveBack(network);
  }

  /** `count` by both keys; of the shared one NETWORK_FACTOR times as many are taken. */
  async countShared(ctx: Context, group: LimitGroup, { own, shared }: SharedKey): Promise<void> {
    await this.count(ctx, group, own);
    if (shared) await this.#count(ctx, this.#networks.get(group), shared);
  }

  /** The address that a request came from, as limits count it. */
  addressOf(ctx: Context): string {
    return addressKeys(ctx.ip).address;
  }

  /** Counts something that has no response to say it in, by address and network. */
  async takeAddress(group: LimitGroup, from: string): Promise<RateLimitResult> {
    const { address, network } = addressKeys(from);
    const own = await this.#limits.get(group)?.take(address);
    const shared = own?.isAllowed && network && (await this.#networks.get(group)?.take(network));
    return shared || own || { isAllowed: true, remaining: 0, resetsIn: 0 };
  }

  async #count(ctx: Context, limit: RateLimit | undefined, key: string): Promise<void> {
    if (!limit) return;
    const { isAllowed, remaining, resetsIn } = await limit.take(key);
    addItem(ctx, 'RateLimit-Policy', `"${limit.name}";q=${limit.limit};w=${limit.window}`);
    addItem(ctx, 'RateLimit', `"${limit.name}";r=${remaining};t=${Math.ceil(resetsIn / 1_000)}`);
    if (!isAllowed) throw throttled(resetsIn);
  }
}
