import type { IncomingMessage } from 'node:http';
import type { AuthFrame } from '@parlor/shared';
import type { Credentials } from '../members/credentials.ts';
import type { AccountPrincipal } from '../members/principal.ts';
import type { VisitorPrincipal } from '../visitors/principal.ts';
import type { MemberCredential, Viewer } from './connection.ts';

const credentialOf = (
  { member, program, session }: AccountPrincipal,
  credentials: Pick<Credentials, 'fingerprintsOf'>,
): MemberCredential => {
  if (program) return { kind: 'program', uuid: program._id };
  if (session !== undefined) return { kind: 'session', uuid: session };
  return { kind: 'token', fingerprints: credentials.fingerprintsOf(member) };
};

/** What says what a viewer is shown. */
export interface ViewerParts {
  credentials: Pick<Credentials, 'fingerprintsOf'>;
  /** Whether whoever it is may read leads. */
  seesLeads(principal: AccountPrincipal): boolean;
  /** Whether it may say what others are told. */
  mayWrite(principal: AccountPrincipal): boolean;
  /** What the addresses begin with that it is told of. */
  baseUrl(opened: { req: IncomingMessage }): string;
}

/** Whom a connection stands for, as its first frame says. @param req what has asked for it */
export const viewerOf = (
  principal: AccountPrincipal | VisitorPrincipal,
  { rooms, counts = false }: AuthFrame,
  req: IncomingMessage,
  { baseUrl, credentials, seesLeads, mayWrite }: ViewerParts,
): Viewer => {
  if (principal.kind === 'account') {
    const narrowed = rooms && new Set(rooms);
    const { account, widgets } = principal.view;
    const { _id: member, name = '' } = principal.member;
    return {
      side: 'person',
      account,
      member,
      name,
      base: baseUrl({ req }),
      widgets,
      credential: credentialOf(principal, credentials),
      seesLeads: seesLeads(principal),
      mayWrite: mayWrite(principal),
      rooms: narrowed,
      // A program has no side bar, and may not be allowed to read conversations.
      followsCounts: counts && !principal.program,
    };
  }
  const { account, room, _id, widget } = principal.visitor.session;
  const { origin = '' } = req.headers;
  return { side: 'visitor', account, room, session: _id, widget, origin };
};
