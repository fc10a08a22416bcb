import type { Logger } from 'pino';
import type { LeadsService } from '../leads/leads.service.ts';
import type { Credentials } from '../members/credentials.ts';
import type { MemberSessions } from '../members/member-sessions.ts';
import type { MembersService } from '../members/members.service.ts';
import type { ProgramTokens } from '../members/program-tokens.ts';
import type { Channel } from '../realtime/channel.ts';
import type { RoomsService } from '../rooms/rooms.service.ts';
import type { SessionsService } from '../visitors/sessions.service.ts';
import type { WidgetsService } from '../widgets/widgets.service.ts';
import type { RoomDeletion } from './room-deletion.ts';
import type { SubjectErasure } from './subject-erasure.ts';
import { Erasure } from './visitor-erasure.ts';

/**
 * Builds the erasing of visitors, and sees to it that sockets end with the credential that opened them: a token
 * that was reset, a session that was ended or erased, a widget that was deleted; and that they show what their member sees,
 * and its numbers (docs/contract.md#live-channel).
 */
export const createErasure = ({
  credentials,
  programTokens,
  channel,
  leads,
  log,
  members,
  memberSessions,
  roomDeletion,
  rooms,
  sessions,
  subjects,
  widgets,
}: {
  credentials: Credentials;
  programTokens: ProgramTokens;
  channel: Channel;
  leads: LeadsService;
  log: Logger;
  members: MembersService;
  memberSessions: MemberSessions;
  roomDeletion: RoomDeletion;
  rooms: RoomsService;
  sessions: SessionsService;
  subjects: SubjectErasure;
  widgets: WidgetsService;
}): Erasure => {
  programTokens.onEnd(({ _id, account }) => channel.end(account, { program: _id }));
  credentials.onTokenChange(({ _id, account }, token) => channel.end(account, { token, member: _id }));
  memberSessions.onEnd((account, uuids) => channel.end(account, { memberSessions: uuids }));
  // The numbers after what the socket shows, so that they are those of its new view.
  members.onViewChange(async ({ _id, account }, seen) => {
    await channel.end(account, { member: _id, widgets: seen ?? null });
    channel.recount(account);
  });
  widgets.onCreate(({ account }) => channel.recount(account));
  widgets.onDelete(async ({ _id, account }) => {
    await channel.end(account, { widget: _id });
    await members.forgetWidget({ _id, account });
    channel.recount(account);
    // They are dead already, and there may be very many; those that stay run out by themselves.
    sessions.removeAllOf(_id).catch((error) => log.warn({ err: error }, 'sessions of a deleted widget stay'));
  });
  roomDeletion.onDelete(({ account }) => channel.recount(account));
  const end = ({ _id, account }: { _id: string; account: string }) => channel.end(account, { session: _id });
  return new Erasure({ sessions, rooms, roomDeletion, leads, subjects }, end, log);
};
