import { CLOSE_CODES } from '@parlor/shared';
import type { Logger } from 'pino';
import { Sweeper } from '../../platform/sweeper.ts';
import type { Credentials } from '../members/credentials.ts';
import type { ProgramTokens } from '../members/program-tokens.ts';
import type { SessionsService } from '../visitors/sessions.service.ts';
import type { WidgetsService } from '../widgets/widgets.service.ts';
import type { Audience } from './audience.ts';
import type { Connection } from './connection.ts';

const SWEEP_EVERY_MS = 1_000;

/** So many visitors are looked at each time, one after another. */
const VISITORS_AT_ONCE = 200;

export interface CredentialCheckParts {
  credentials: Pick<Credentials, 'fingerprintsIn'>;
  programTokens: Pick<ProgramTokens, 'alive'>;
  sessions: Pick<SessionsService, 'alive'>;
  widgets: Pick<WidgetsService, 'existing'>;
}

/**
 * Looks from time to time whether the credentials of open sockets are still good. The channel tells at once when
 * one ends; this finds those of which the telling was lost with its process: tokens within a second, visitors'
 * sessions in their turn.
 */
export class CredentialCheck {
  readonly #parts: CredentialCheckParts & { audience: Audience };
  #turn: Connection[] = [];
  readonly #sweeper: Sweeper;

  constructor(parts: CredentialCheckParts & { audience: Audience }, log: Logger) {
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
    const { audience } = this.#parts;
    const persons = [...audience.persons()];
    if (persons.length > 0) await this.#lookAtTokens(persons);
    if (this.#turn.length === 0) this.#turn = [...audience.visitors()];
    const visitors = this.#turn.splice(0, VISITORS_AT_ONCE).filter(({ isOpen }) => isOpen);
    if (visitors.length > 0) await this.#lookAtSessions(visitors);
  }

  async #lookAtTokens(connections: readonly Connection[]): Promise<void> {
    const accounts = new Set(connections.flatMap(({ viewer }) => viewer?.account ?? []));
    const fingerprints = await this.#parts.credentials.fingerprintsIn([...accounts]);
    const programs = connections.flatMap(({ viewer }) => (viewer?.side === 'person' && viewer.program) || []);
    const alive = programs.length > 0 ? await this.#parts.programTokens.alive(programs) : new Set();
    for (const connection of connections) {
      const { viewer } = connection;
      if (viewer?.side !== 'person') continue;
      const isGood =
        viewer.program === undefined
          ? viewer.fingerprints.includes(fingerprints.get(viewer.member) ?? '')
          : alive.has(viewer.program);
      if (!isGood) end(connection);
    }
  }

  async #lookAtSessions(connections: readonly Connection[]): Promise<void> {
    const viewers = connections.flatMap(({ viewer }) => (viewer?.side === 'visitor' ? viewer : []));
    const sessions = await this.#parts.sessions.alive(viewers.map(({ session }) => session));
    const widgets = await this.#parts.widgets.existing([...new Set(viewers.map(({ widget }) => widget))]);
    for (const connection of connections) {
      const { viewer } = connection;
      if (viewer?.side !== 'visitor') continue;
      if (!sessions.has(viewer.session) || !widgets.has(viewer.widget)) end(connection);
    }
  }
}

const end = (connection: Connection): void =>
  connection.close(CLOSE_CODES.not_authenticated, 'the credential has ended');
