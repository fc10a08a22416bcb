import { CLOSE_CODES } from '@parlor/shared';
import type { Logger } from 'pino';
import { Sweeper } from '../../platform/sweeper.ts';
import type { Credentials } from '../members/credentials.ts';
import { restrictionOf } from '../members/member.ts';
import { isOfEpoch, type MemberSessions } from '../members/member-sessions.ts';
import type { Standing } from '../members/member-store.ts';
import type { ProgramTokens } from '../members/program-tokens.ts';
import type { SessionsService } from '../visitors/sessions.service.ts';
import { isAllowedOrigin } from '../widgets/domain.ts';
import type { WidgetsService } from '../widgets/widgets.service.ts';
import type { Connection, Viewer } from './connection.ts';
import type { ConnectionIndex } from './connection-index.ts';

const SWEEP_EVERY_MS = 1_000;

/** Visitors that are looked at each time, one after another. */
const VISITORS_AT_ONCE = 200;

type MemberViewer = Extract<Viewer, { side: 'person' }>;

export interface CredentialCheckParts {
  credentials: Pick<Credentials, 'standings'>;
  memberSessions: Pick<MemberSessions, 'alive'>;
  programTokens: Pick<ProgramTokens, 'alive'>;
  sessions: Pick<SessionsService, 'alive'>;
  widgets: Pick<WidgetsService, 'domains' | 'existing'>;
}

/**
 * Looks from time to time whether the credentials of open sockets are still good, and show what their member sees. The
 * channel tells at once when that changes; this finds what was lost with the process that was to tell it: of members
 * within a second, of visitors' sessions, and of the pages that their widget may be on, in their turn.
 */
export class CredentialCheck {
  readonly #parts: CredentialCheckParts & { connections: ConnectionIndex };
  #turn: Connection[] = [];
  readonly #sweeper: Sweeper;

  constructor(parts: CredentialCheckParts & { connections: ConnectionIndex }, log: Logger) {
    this.#parts = parts;
    this.#sweeper = new Sweeper({
      sweep: () => this.look(),
      every: SWEEP_EVERY_MS,
      log,
      failed: 'credentials could not be looked at again',
    });
  }

  start(): void {
    this.#sweeper.start();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }

  async look(): Promise<void> {
    const { connections } = this.#parts;
    const members = [...connections.members()];
    if (members.length > 0) await this.#lookAtTokens(members);
    if (this.#turn.length === 0) this.#turn = [...connections.visitors()];
    const visitors = this.#turn.splice(0, VISITORS_AT_ONCE).filter(({ isOpen }) => isOpen);
    if (visitors.length > 0) await this.#lookAtSessions(visitors);
  }

  async #lookAtTokens(connections: readonly Connection[]): Promise<void> {
    const { credentials, widgets } = this.#parts;
    const asked = performance.now();
    const accounts = new Set(connections.flatMap(({ viewer }) => viewer?.account ?? []));
    const standings = await credentials.standings([...accounts]);
    const restrictions = new Map(
      connections.flatMap(({ viewer }) => {
        const standing = viewer?.side === 'person' && standings.get(viewer.member);
        const restriction = standing ? restrictionOf(standing) : undefined;
        return standing && restriction ? [[standing._id, restriction] as const] : [];
      }),
    );
    const named = [...new Set([...restrictions.values()].flat())];
    const existing = named.length > 0 ? await widgets.existing(named) : new Set<string>();
    const isAlive = await this.#alive(connections.flatMap(({ viewer }) => viewer ?? []));
    for (const connection of connections) {
      const { viewer } = connection;
      if (viewer?.side !== 'person') continue;
      const standing = standings.get(viewer.member);
      if (!standing || !isAlive(viewer, standing)) end(connection);
      // What was told meanwhile is newer than what was read.
      else if (connection.viewedAt < asked) {
        connection.restrict(restrictions.get(viewer.member)?.filter((uuid) => existing.has(uuid)));
      }
    }
  }

  /** @returns says whether the credential of a member who stands like that is still good */
  async #alive(viewers: readonly Viewer[]): Promise<(viewer: MemberViewer, standing: Standing) => boolean> {
    const { memberSessions, programTokens } = this.#parts;
    const members = viewers.flatMap((viewer) => (viewer.side === 'person' ? viewer : []));
    const of = (kind: 'program' | 'session') =>
      members.flatMap(({ member, credential }) =>
        credential.kind === kind ? { member, uuid: credential.uuid } : [],
      );
    const [programs, sessions] = [of('program').map(({ uuid }) => uuid), of('session')];
    const alive = {
      program: programs.length > 0 ? await programTokens.alive(programs) : new Set<string>(),
      session: sessions.length > 0 ? await memberSessions.alive(sessions) : new Map(),
    };
    return ({ credential }, standing) => {
      if (credential.kind === 'token') return credential.fingerprints.includes(standing.token_fingerprint);
      if (credential.kind === 'program') return alive.program.has(credential.uuid);
      const session = alive.session.get(credential.uuid);
      return session !== undefined && !standing.lacksSecondFactor && isOfEpoch(session, standing);
    };
  }

  async #lookAtSessions(connections: readonly Connection[]): Promise<void> {
    const viewers = connections.flatMap(({ viewer }) => (viewer?.side === 'visitor' ? viewer : []));
    const sessions = await this.#parts.sessions.alive(viewers.map(({ session }) => session));
    const domains = await this.#parts.widgets.domains([...new Set(viewers.map(({ widget }) => widget))]);
    for (const connection of connections) {
      const { viewer } = connection;
      if (viewer?.side !== 'visitor') continue;
      const domain = domains.get(viewer.widget);
      const isAllowed = domain !== undefined && isAllowedOrigin(domain, viewer.origin);
      if (!sessions.has(viewer.session) || !isAllowed) end(connection);
    }
  }
}

const end = (connection: Connection): void =>
  connection.close(CLOSE_CODES.not_authenticated, 'the credential has ended');
