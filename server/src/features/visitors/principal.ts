import type { Visitor } from './sessions.service.ts';

/** Whoever has a visitor session's token. */
export interface VisitorPrincipal {
  kind: 'visitor';
  owner: string;
  scope: string;
  isShared: false;
  visitor: Visitor;
}

declare module '../../http/principal.ts' {
  interface Principals {
    visitor: VisitorPrincipal;
  }
}

export const visitorPrincipal = (visitor: Visitor): VisitorPrincipal => ({
  kind: 'visitor',
  owner: visitor.session.account,
  scope: `session:${visitor.session._id}`,
  isShared: false,
  visitor,
});
