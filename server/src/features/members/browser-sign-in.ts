import type { Context } from '../../http/context.ts';
import { readBrowserHeaders } from '../../http/device.ts';
import type { ActiveMember } from './member.ts';
import type { MemberSessions } from './member-sessions.ts';
import type { SessionCookie } from './session-cookie.ts';

interface Parts {
  memberSessions: MemberSessions;
  sessionCookie: SessionCookie;
}

/**
 * Begins the session of somebody who has shown who it is.
 * @param before the cookie of the browser's session so far, which ends
 */
export const signInBrowser = async (
  { memberSessions, sessionCookie }: Parts,
  ctx: Context,
  { member, time_zone, before }: { member: ActiveMember; time_zone: string; before: string },
): Promise<void> => {
  const earlier = await memberSessions.bySecret(before);
  const browser = readBrowserHeaders((name) => ctx.get(name));
  sessionCookie.set(ctx, await memberSessions.begin({ member, browser, time_zone }));
  if (earlier) await memberSessions.end(earlier.member, earlier.session.uuid).catch(() => undefined);
  ctx.set('Cache-Control', 'no-store');
};
