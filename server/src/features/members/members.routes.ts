import { Acceptance, InvitedMember, Member, MemberSettings, NewMember, OwnSettings } from '@parlor/shared';
import { cutPage } from '../../database/pages.ts';
import type { Context, Handler } from '../../http/context.ts';
import { readPage, sendPage } from '../../http/lists.ts';
import {
  created,
  deleted,
  listOf,
  listQuery,
  patchOf,
  shown,
  uuidInPath,
} from '../../http/openapi/operation.ts';
import type { Route } from '../../http/route.ts';
import { precondition, representationOf, sendObject, sendRepresentation } from '../../http/single-object.ts';
import type { Caller } from '../../http/turns.ts';
import { pathUuid, readObject, readPatch } from '../../http/validate.ts';
import { ParlorError } from '../../platform/errors.ts';
import { noForeignPages } from './foreign-pages.ts';
import type { InvitationAcceptance } from './invitation-acceptance.ts';
import { type Member as AnyMember, mayTouch, presentMember, settingsOf } from './member.ts';
import type { MemberMails } from './member-mails.ts';
import type { MembersService } from './members.service.ts';
import { actionOf, memberNow, memberOf, publicActionOf, viewOf } from './principal.ts';
import type { SessionCookie } from './session-cookie.ts';

const tag = 'Members';
const callers = ['account'] as const;
const params = { uuid: uuidInPath() };

/** Answers with one member. @param seen as `presentMember` takes it */
export const sendMember = (ctx: Context, member: AnyMember, base: string, seen?: readonly string[]): void => {
  const shown = presentMember(member, base, seen);
  sendRepresentation(ctx, representationOf(settingsOf(shown), shown));
};

/** /api/v1/members/ and what accepts an invitation (docs/contract.md#members). */
export const memberRoutes = ({
  acceptance,
  members,
  memberMails,
  sessionCookie,
  baseUrl,
}: {
  acceptance: InvitationAcceptance;
  members: MembersService;
  memberMails: MemberMails;
  sessionCookie: SessionCookie;
  baseUrl(ctx: Context): string;
}): Route[] => [
  {
    method: 'GET',
    path: '/api/v1/members/',
    id: 'listMembers',
    tag,
    summary: 'List the members of your account',
    description: 'Newest first, those who are invited too.',
    callers,
    query: listQuery,
    answers: listOf(Member),
    handler: async (ctx) => {
      const page = readPage(ctx);
      const base = baseUrl(ctx);
      const listFor = async (now: Caller) => {
        const { account, widgets } = viewOf(now);
        const steps = cutPage(await members.list(account), 'created_at', page);
        const present = (found: AnyMember[]) => found.map((member) => presentMember(member, base, widgets));
        return { steps, timeField: 'created_at' as const, present };
      };
      await sendPage(ctx, page, listFor, base);
    },
  },
  {
    method: 'POST',
    path: '/api/v1/members/',
    id: 'inviteMember',
    tag,
    summary: 'Invite a member',
    description:
      'Answers a link for whoever is invited, once: whoever opens it chooses a username and a password. Where the server sends mail, the link is mailed, too (`is_mailed`): not to a mailbox that has had three invitations today, nor before the address of your account is confirmed. Inviting an address again makes a new link, and the old one is dead. Admins invite admins and operators, and owners anybody; whoever is invited as an owner is invited again by owners alone. `widgets` restricts an operator to some of them. At most 100 members beside the first one. Repeated under its `Idempotency-Key` it answers the same link; 409 where the invitation was accepted or withdrawn, or has run out, and 403 where you could not send it any more.',
    callers,
    aroundKept: withLink(members, baseUrl),
    body: NewMember,
    isIdempotent: true,
    answers: created(InvitedMember),
    handler: async (ctx) => {
      const whoNow = memberNow(ctx);
      const input = readObject(NewMember, ctx.state.body);
      const { newUuid } = ctx.state;
      const member = await members.invite(memberOf(ctx), input, actionOf(ctx), newUuid, whoNow);
      const base = baseUrl(ctx);
      const is_mailed = await memberMails.invite(member, base);
      ctx.status = 201;
      ctx.set('Location', `${base}/api/v1/members/${member._id}/`);
      ctx.body = JSON.stringify({ uuid: member._id, is_mailed });
    },
  },
  {
    method: 'GET',
    path: '/api/v1/members/me/',
    id: 'retrieveOwnMember',
    tag,
    summary: 'Who you are',
    description: 'The member whose credential this is.',
    callers,
    condition: 'read',
    answers: shown(Member),
    handler: (ctx) => sendMember(ctx, memberOf(ctx), baseUrl(ctx)),
  },
  {
    method: 'PATCH',
    path: '/api/v1/members/me/',
    id: 'changeOwnMember',
    tag,
    summary: 'Change what is yours',
    description: 'Your name, which visitors see, and whether you are away.',
    callers,
    body: patchOf(OwnSettings, 'OwnSettingsPatch'),
    bodyExample: { is_away: true },
    isBodyOptional: true,
    condition: 'write',
    answers: shown(Member),
    handler: async (ctx) => {
      const wanted = readPatch(OwnSettings, ctx.state.body);
      const member = await members.changeOwn(memberOf(ctx), wanted, precondition(ctx), actionOf(ctx));
      sendMember(ctx, member, baseUrl(ctx));
    },
  },
  {
    method: 'GET',
    path: '/api/v1/members/{uuid}/',
    id: 'retrieveMember',
    tag,
    summary: 'Details of one member',
    description: 'By its uuid.',
    callers,
    params,
    condition: 'read',
    answers: shown(Member),
    handler: async (ctx) => {
      const { account, widgets } = viewOf(ctx);
      sendMember(ctx, await members.get(account, pathUuid(ctx)), baseUrl(ctx), widgets);
    },
  },
  {
    method: 'PATCH',
    path: '/api/v1/members/{uuid}/',
    id: 'changeMember',
    tag,
    summary: 'Change the role, name or widgets of a member',
    description:
      'Admins change neither owners nor anybody into one. The last owner stays one: 409. Open invitations that the member has sent, and could not send in its new role, are withdrawn. `widgets` restricts an operator, and is a 400 for others; an operator that becomes an admin or owner loses its list. It holds at once, on open sockets, too.',
    callers,
    params,
    body: patchOf(MemberSettings, 'MemberSettingsPatch'),
    bodyExample: { role: 'admin' },
    isBodyOptional: true,
    condition: 'write',
    conflict: 'An account has at least one owner.',
    answers: shown(Member),
    handler: async (ctx) => {
      const wanted = readPatch(MemberSettings, ctx.state.body);
      const member = await members.change(
        memberOf(ctx),
        pathUuid(ctx),
        wanted,
        precondition(ctx),
        actionOf(ctx),
        memberNow(ctx),
      );
      sendMember(ctx, member, baseUrl(ctx));
    },
  },
  {
    method: 'DELETE',
    path: '/api/v1/members/{uuid}/',
    id: 'removeMember',
    tag,
    summary: 'Remove a member',
    description:
      'Its token and password are dead at once, and its sockets end; what it wrote stays. An invitation is withdrawn so, too, and so are those that the member has sent. The last owner stays: 409.',
    callers,
    params,
    condition: 'write',
    conflict: 'An account has at least one owner.',
    answers: deleted,
    handler: async (ctx) => {
      const check = precondition(ctx);
      await members.remove(memberOf(ctx), pathUuid(ctx), check, actionOf(ctx), memberNow(ctx));
      ctx.status = 204;
    },
  },
  {
    method: 'POST',
    path: '/api/v1/auth/accept-invitation',
    before: noForeignPages(sessionCookie),
    limits: [{ group: 'register', after: 'body' }],
    id: 'acceptInvitation',
    tag,
    summary: 'Accept an invitation',
    description: 'Once, within 7 days of its making. `Idempotency-Key` is ignored here.',
    callers: ['public'],
    body: Acceptance,
    errors: [403, 429],
    answers: { status: 201, description: 'You are a member, and can sign in.', schema: Member },
    handler: async (ctx) => {
      const accepted = readObject(Acceptance, ctx.state.body);
      const member = await acceptance.byLink(accepted, publicActionOf(ctx));
      ctx.status = 201;
      ctx.body = presentMember(member, baseUrl(ctx));
    },
  },
];

/**
 * The link and the member join the response outside of `idempotent`, which keeps responses in the database as they are:
 * of whoever is removed no name or address is left there, either.
 */
const withLink =
  (members: MembersService, baseUrl: (ctx: Context) => string): Handler =>
  async (ctx, next) => {
    await next();
    const { uuid, is_mailed } = JSON.parse(String(ctx.body)) as { uuid: string; is_mailed: boolean };
    const open = await members.invited(memberOf(ctx).account, uuid);
    if (!open) throw new ParlorError('conflict', 'This invitation is not open any more.');
    // Repeated by somebody who invites nobody as that any more: the link is a new one's, too.
    mayTouch(memberOf(ctx), open.member);
    const base = baseUrl(ctx);
    ctx.set('Cache-Control', 'no-store');
    const shown = { ...presentMember(open.member, base), invite_url: base + open.path, is_mailed };
    sendObject(ctx, shown, ctx.status);
  };
