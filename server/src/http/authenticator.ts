import type { Context, Handler } from './context.ts';

/** Middleware that lets requests through by who makes them; routes get it from what composes them. */
export interface Authenticator {
  /** Lets accounts through: `Authorization: Token <API_KEY>`; visitors get 403, others 401. */
  account: Handler;
  /** Lets accounts and visitors through: also `Authorization: Visitor <token>` (docs/contract.md#visitors). */
  accountOrVisitor: Handler;
  /** Lets anybody through; an Authorization that is given must be a visitor's and good. */
  visitorIfGiven: Handler;
  /** Lets whoever has a workflow's key through: `X-API-Key: pk_live_…` (specification 5). */
  agent: Handler;
  /**
   * Looks once more at who was let through by one of these, and sets `principal` anew: after a body that came late, or a wait,
   * its credential may have ended, or go less far. It throws as these do.
   */
  again(ctx: Context): Promise<void>;
}
