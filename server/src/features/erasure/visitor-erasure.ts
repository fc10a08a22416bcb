import type { Logger } from 'pino';
import type { Action } from '../../events/audit.ts';
import type { Duration } from '../../platform/duration.ts';
import { ignoreMissing, notFound } from '../../platform/errors.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import { type LeadsService, visitorLead } from '../leads/leads.service.ts';
import { wholeAccount } from '../members/view.ts';
import type { RoomsService } from '../rooms/rooms.service.ts';
import type { VisitorSession } from '../visitors/sessions.model.ts';
import type { SessionsService, Visitor } from '../visitors/sessions.service.ts';
import type { RoomDeletion } from './room-deletion.ts';
import type { SubjectErasure } from './subject-erasure.ts';

/** Each erasure is gone through once more after this time: a request that was under way may have written since. */
const AGAIN_AFTER_MS = 60_000;
const SWEEP_EVERY_MS = 20_000;

/** How long a visitor waits: where it has left very many leads, the rest is erased with the round that follows. */
const WITHIN_MS = 10_000;

/** Ends the sockets of a session, on every server process. */
type EndSession = (session: VisitorSession) => Promise<void>;

interface Parts {
  sessions: SessionsService;
  rooms: Pick<RoomsService, 'byUuid'>;
  roomDeletion: Pick<RoomDeletion, 'delete'>;
  leads: Pick<LeadsService, 'delete' | 'ofRoom'>;
  subjects: Pick<SubjectErasure, 'erase' | 'isOut'>;
}

/** What the audit trail says of it, without a word of the visitor. */
const ERASE: Action = {
  name: 'eraseSession',
  actor: { kind: 'visitor', uuid: null, name: '', token: null },
  address: '',
};

/**
 * Erases what a visitor wrote and what is kept of it, as the map of data says, and then its session. The session is dead first
 * of all, and holds what is to be done, so that any process takes it up again after a crash. Events that wait are still
 * announced, as for everything that is deleted.
 */
export class Erasure {
  readonly #parts: Parts;
  readonly #end: EndSession;
  readonly #log: Logger;
  readonly #sweeper: Sweeper;

  constructor(parts: Parts, end: EndSession, log: Logger) {
    this.#parts = parts;
    this.#end = end;
    this.#log = log;
    this.#sweeper = new Sweeper({
      sweep: () => this.resume(),
      every: SWEEP_EVERY_MS,
      log,
      failed: 'erasing waits: taking up the rest failed',
    });
  }

  /**
   * @param within after which leads that are left wait for the next round
   * @throws ParlorError `not_found` when the visitor came through another widget.
   */
  async erase(widgetToken: string, visitor: Visitor, within: Duration = WITHIN_MS): Promise<void> {
    const session = await this.#parts.sessions.close(widgetToken, visitor);
    await this.#end(session);
    await this.#eraseWritings(session, performance.now() + within);
  }

  /** Takes up what was left behind, now and from time to time. */
  start(): void {
    this.#sweeper.start();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }

  /** Finishes the erasures that were begun before `now` minus AGAIN_AFTER_MS. */
  async resume(now = new Date()): Promise<void> {
    const before = new Date(now.getTime() - AGAIN_AFTER_MS);
    for await (const session of this.#parts.sessions.closedBefore(before)) {
      const { _id, account } = session;
      // One that can't be erased now keeps no other back.
      await this.#goOn(session).catch((error) =>
        this.#log.error({ err: error, account, session: _id }, 'a visitor waits to be erased'),
      );
    }
  }

  async #goOn(session: VisitorSession): Promise<void> {
    const { sessions, subjects } = this.#parts;
    const wasOut = await subjects.isOut(session.room);
    await this.#eraseWritings(session);
    // What is announced only now makes deliveries that are to be erased as well: it is gone through again.
    if (wasOut && (await subjects.isOut(session.room))) await sessions.remove(session._id);
  }

  async #eraseWritings(
    { _id, account, room: uuid }: VisitorSession,
    deadline = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const { rooms, roomDeletion, leads, subjects } = this.#parts;
    // By what it is called now; should that change this instant, the second round finds it.
    const room = await rooms.byUuid(wholeAccount(account), uuid);
    const isStillIt = async (current: { _id: string }) => {
      if (current._id !== uuid) throw notFound();
    };
    if (room) await roomDeletion.delete(account, room.label, isStillIt, ERASE).catch(ignoreMissing);
    const left = new Set([visitorLead({ _id }), ...(await leads.ofRoom(account, uuid))]);
    for (const lead of left) {
      if (performance.now() > deadline) break;
      await leads.delete(account, lead).catch(ignoreMissing);
      // Also of one that its owner had deleted.
      await subjects.erase(lead, { deadline });
    }
    await subjects.erase(uuid, { deadline });
  }
}
