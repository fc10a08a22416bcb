import type { Context, Handler } from './context.ts';
import type { Description } from './openapi/operation.ts';
import type { LimitGroup, SharedKey } from './rate-limits.ts';

/** A limit that a route counts its requests by, besides those of whoever makes them. */
export interface RouteLimit {
  group: LimitGroup;
  /**
   * When it is counted: before anything is looked at, once it is known who is asking, or once the body has been read or
   * refused.
   */
  after: 'nothing' | 'credential' | 'body';
  /** What is counted; the address that the request comes from, where it is not given. */
  key?: (ctx: Context) => string;
  /** What is counted where the address has no request left; undefined for who has nothing of its own. */
  instead?: { group: LimitGroup; key: (ctx: Context) => Promise<SharedKey | undefined> };
}

/**
 * Which pages may call a route, and read its response.
 * - `visitor`: any page; a visitor's token goes with the request
 * - `agent`: any page; a workflow's key goes with it
 * - `widget`: any page, which is named in the response, since responses differ by it
 */
export type CorsPolicy = 'visitor' | 'agent' | 'widget';

/**
 * A route of the API: what the OpenAPI document says of it, who may call it from where and how often, and what answers
 * it. The router, CORS, rate limits and the document all follow from this.
 */
export interface Route extends Description {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As the specification writes it: `/api/v1/rooms/{label}/`; it works with and without the slash at its end. */
  path: string;
  limits?: readonly RouteLimit[];
  cors?: CorsPolicy;
  /** Whether a request is one that pages may make, where the same path has others. */
  isForPages?: (ctx: Context) => boolean;
  /** Before it is known who is asking. */
  before?: Handler;
  /** Between the credential and the body. */
  beforeBody?: Handler;
  /** Around what is kept for an Idempotency-Key: what it adds to a response is not kept. */
  aroundKept?: Handler;
  handler: (ctx: Context) => void | Promise<void>;
}
