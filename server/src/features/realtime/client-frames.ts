import { type Author, CLOSE_CODES, type ClientFrame } from '@parlor/shared';
import type { Logger } from 'pino';
import { databaseAway } from '../../database/unavailable.ts';
import { FairTurns, type TurnLimits } from '../../platform/fair-turns.ts';
import type { CurrentAvatars } from '../members/avatars/current-avatars.ts';
import { isInView, wholeAccount } from '../members/view.ts';
import type { RoomPlace, RoomsService } from '../rooms/rooms.service.ts';
import type { Connection, Viewer } from './connection.ts';
import { ownFrame } from './frames.ts';
import type { ReadMarks } from './read-marks.ts';
import type { Typing } from './typing.ts';
import type { Viewing } from './viewing.ts';

/** Members ask for what is unread in up to 50 rooms, each of which takes a query: accounts take turns, and visitors by their rooms. */
const TURNS: TurnLimits = { running: 4, runningOfOne: 2, waitingOfOne: 1_000 };

/** What a client does once it is ready. */
export class ClientFrames {
  readonly #turns = new FairTurns(TURNS, databaseAway);
  readonly #currentAvatars: Pick<CurrentAvatars, 'showOne'>;
  readonly #rooms: Pick<RoomsService, 'byUuid' | 'existing'>;
  readonly #readMarks: ReadMarks;
  readonly #typing: Typing;
  readonly #viewing: Viewing;
  readonly #log: Logger;

  constructor(
    {
      currentAvatars,
      rooms,
      readMarks,
      typing,
      viewing,
    }: {
      currentAvatars: Pick<CurrentAvatars, 'showOne'>;
      rooms: Pick<RoomsService, 'byUuid' | 'existing'>;
      readMarks: ReadMarks;
      typing: Typing;
      viewing: Viewing;
    },
    log: Logger,
  ) {
    this.#currentAvatars = currentAvatars;
    this.#rooms = rooms;
    this.#readMarks = readMarks;
    this.#typing = typing;
    this.#viewing = viewing;
    this.#log = log;
  }

  async handle(
    connection: Connection,
    viewer: Viewer,
    frame: Exclude<ClientFrame, { type: 'auth' }>,
  ): Promise<void> {
    if (frame.type === 'ping') return connection.send(ownFrame({ type: 'pong' }));
    try {
      if (frame.type === 'unread') return await this.#tellUnread(connection, viewer, frame.rooms ?? []);
      if (frame.type === 'viewing') return await this.#view(connection, viewer, frame);
      if (viewer.side === 'person' && !viewer.mayWrite) {
        return connection.close(CLOSE_CODES.violation, 'only who may write to conversations says so');
      }
      const room = await this.#roomOf(connection, viewer, frame.room);
      if (room === undefined) return;
      const { side } = viewer;
      if (frame.type === 'read') return await this.#readMarks.move(room, side, frame.message);
      const typist = { room, origin: connection.id, sender: side, nickname: frame.nickname };
      this.#typing.said(typist, frame.is_typing);
    } catch (error) {
      this.#log.warn({ err: error, frame: frame.type }, 'a frame could not be taken');
      const data = { of: frame.type, detail: 'The database is not reachable. Try again.', retry: true };
      connection.send(ownFrame({ type: 'error', data }));
    }
  }

  /** Members view rooms; visitors and programs do not. */
  async #view(
    connection: Connection,
    viewer: Viewer,
    frame: Extract<ClientFrame, { type: 'viewing' }>,
  ): Promise<void> {
    if (viewer.side === 'visitor' || viewer.credential.kind === 'program') {
      return connection.close(CLOSE_CODES.violation, 'only members view rooms');
    }
    if (frame.room === null) return this.#viewing.gone(connection.id);
    // It goes on for as long as it is said: a room that was deleted meanwhile is not viewed any more.
    const wasKnown = connection.knownRoom(frame.room) !== undefined;
    if (wasKnown && !(await this.#rooms.byUuid(wholeAccount(viewer.account), frame.room))) return;
    const room = await this.#roomOf(connection, viewer, frame.room);
    if (!room) return;
    const { account, base, member: uuid, name } = viewer;
    const { author: member } = await this.#currentAvatars.showOne<{ author: Author }>(account, base, {
      author: { uuid, name },
    });
    // Its socket may have gone meanwhile, and nobody would take it out again.
    if (connection.isOpen) this.#viewing.said(connection.id, member, room, frame.is_typing);
  }

  /** A visitor asks for its own room; rooms that are out of view are left out. */
  async #tellUnread(connection: Connection, viewer: Viewer, rooms: readonly string[]): Promise<void> {
    const isVisitor = viewer.side === 'visitor';
    const data = await this.#turns.run(isVisitor ? `visitor ${viewer.room}` : viewer.account, async () => {
      if (isVisitor) return this.#readMarks.states([viewer.room], 'visitor');
      const own = await this.#rooms.existing(viewer, rooms);
      return this.#readMarks.states(
        own.map(({ _id }) => _id),
        'person',
      );
    });
    connection.send(ownFrame({ type: 'unread', data }));
  }

  /** The room that a frame is about; undefined when there is nothing to do there. */
  async #roomOf(
    connection: Connection,
    viewer: Viewer,
    named: string | undefined,
  ): Promise<RoomPlace | undefined> {
    const isVisitor = viewer.side === 'visitor';
    const room = isVisitor ? (named ?? viewer.room) : named;
    const isForeign = isVisitor && room !== viewer.room;
    if (room !== undefined && !isForeign) {
      const known =
        connection.knownRoom(room) ?? (await this.#rooms.byUuid(wholeAccount(viewer.account), room));
      // One that does not know its widget yet is looked at again.
      if (known?.widget !== undefined) connection.learnRoom(known);
      if (known && (viewer.side === 'visitor' || isInView(viewer, known))) return known;
      // A visitor's room exists from its first message on; to everybody else there is nothing before (docs/contract.md#visitors).
      if (isVisitor) return undefined;
    }
    connection.close(CLOSE_CODES.violation, 'no such room');
    return undefined;
  }
}
