import { NewNote, Note } from '@parlor/shared';
import type { Context } from '../../../http/context.ts';
import { created, deleted, patchOf, shown, uuidInPath } from '../../../http/openapi/operation.ts';
import type { Route } from '../../../http/route.ts';
import { precondition, representationOf, sendRepresentation } from '../../../http/single-object.ts';
import { type Caller, callerNow } from '../../../http/turns.ts';
import { pathUuid, readObject, readPatch } from '../../../http/validate.ts';
import { avatarUrl } from '../../members/avatars/avatar-url.ts';
import type { CurrentAvatars } from '../../members/avatars/current-avatars.ts';
import { authorOf, memberOf, viewOf } from '../../members/principal.ts';
import type { InboxService } from '../inbox.service.ts';
import type { StoredNote } from './note.model.ts';
import { type NotesService, presentNote, type Writer } from './notes.service.ts';

const tag = 'Conversations';
const callers = ['account'] as const;
const path = '/api/v1/conversations/{uuid}/notes/';
const params = { uuid: uuidInPath() };
const noteParams = { ...params, note: uuidInPath() };

const pathNote = ({ params }: Context): string => pathUuid({ params: { uuid: params?.note } });

/** /api/v1/conversations/<uuid>/notes/ (docs/contract.md#notes). */
export const noteRoutes = ({
  inbox,
  notes,
  currentAvatars,
  baseUrl,
}: {
  inbox: InboxService;
  notes: NotesService;
  currentAvatars: CurrentAvatars;
  baseUrl(ctx: Context): string;
}): Route[] => {
  const writerOf = (ctx: Context, now: Caller = ctx): Writer => ({
    view: viewOf(now),
    member: memberOf(now),
    author: authorOf(now),
    avatar: avatarUrl(baseUrl(ctx), memberOf(now).avatar),
  });

  /** Who writes a note, as it stands whenever it is called. It throws as `callerNow` does. */
  const writerNow = (ctx: Context): (() => Promise<Writer>) => {
    const caller = callerNow(ctx);
    return async () => writerOf(ctx, await caller());
  };

  /** A note's entity tag says nothing of its author's picture, which is no part of it. */
  const send = async (ctx: Context, note: StoredNote, status = 200): Promise<void> => {
    const shown = await currentAvatars.showOne<Note>(note.account, baseUrl(ctx), presentNote(note));
    sendRepresentation(ctx, representationOf(presentNote(note), shown), status);
  };

  return [
    {
      method: 'POST',
      path,
      id: 'createNote',
      tag,
      summary: 'Add a note for colleagues',
      description:
        'No visitor sees it. Whoever it mentions by `@username` gets the conversation as unread. They are listed in the timeline.',
      callers,
      params,
      body: NewNote,
      isIdempotent: 'for good',
      // A response that was kept is not for whoever does not see the conversation any more.
      aroundKept: async (ctx, next) => {
        await inbox.get(viewOf(ctx), pathUuid(ctx as Context));
        await next();
      },
      answers: created(Note),
      handler: async (ctx) => {
        const room = pathUuid(ctx);
        const input = readObject(NewNote, ctx.state.body);
        const note = await notes.create(writerOf(ctx), room, input, ctx.state.newUuid);
        ctx.state.subject = { uuid: room, at: note.created_at };
        const address = `${baseUrl(ctx)}/api/v1/conversations/${room}/notes/${note._id}/`;
        await send(ctx, note, 201);
        ctx.set('Location', address);
      },
    },
    {
      method: 'GET',
      path: `${path}{note}/`,
      id: 'retrieveNote',
      tag,
      summary: 'Details of one note',
      description: 'By its uuid.',
      callers,
      params: noteParams,
      condition: 'read',
      answers: shown(Note),
      handler: async (ctx) => {
        await send(ctx, await notes.get(viewOf(ctx), pathUuid(ctx), pathNote(ctx)));
      },
    },
    {
      method: 'PATCH',
      path: `${path}{note}/`,
      id: 'changeNote',
      tag,
      summary: 'Change a note',
      description: 'By whoever wrote it.',
      callers,
      params: noteParams,
      body: patchOf(NewNote, 'NotePatch'),
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Note),
      handler: async (ctx) => {
        const wanted = readPatch(NewNote, ctx.state.body);
        const check = precondition(ctx);
        const changed = await notes.change(writerNow(ctx), pathUuid(ctx), pathNote(ctx), wanted, check);
        await send(ctx, changed);
      },
    },
    {
      method: 'DELETE',
      path: `${path}{note}/`,
      id: 'deleteNote',
      tag,
      summary: 'Delete a note',
      description: 'By whoever wrote it, an owner or an admin.',
      callers,
      params: noteParams,
      condition: 'write',
      answers: deleted,
      handler: async (ctx) => {
        await notes.delete(writerNow(ctx), pathUuid(ctx), pathNote(ctx), precondition(ctx));
        ctx.status = 204;
      },
    },
  ];
};
