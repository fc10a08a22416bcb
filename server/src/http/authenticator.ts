import type { Handler } from './context.ts';

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
   * Looks once more at who was let through by one of these, as whoever sends a body late is no longer who it was: its
   * credential may have ended meanwhile, or go less far.
   */
  again: Handler;
}
