import type { Middleware, ParameterizedContext } from 'koa';
import type { Principal } from './principal.ts';

/** What middleware leaves for those after it. */
export interface State {
  requestId: string;
  /** The route's id in the OpenAPI document. */
  operation: string;
  principal?: Principal;
  /** `Authenticator.again` for this request: for what takes long. */
  authenticateAgain(): Promise<void>;
  /** Looks at who makes the request once more where that was done long ago; it throws as `callerNow` does. */
  stillAllowed(): Promise<void>;
  /** Aborted when the server stops, and does not wait for this request any more. */
  over: AbortSignal;
  /** The parsed JSON body; undefined when there was none. */
  body?: unknown;
  /** The body as it came, on a route that takes bytes. */
  bytes?: Buffer;
  /** The uuid for the object that this request makes, when its Idempotency-Key fixes it. */
  newUuid?: string;
  /** The room or lead that the response tells of, when that is not the object that this request makes, and since when. */
  subject?: { uuid: string; at: Date };
}

export type Context = ParameterizedContext<State> & { params?: Record<string, string | undefined> };
export type Handler = Middleware<State>;
