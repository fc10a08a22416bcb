import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { Sweeper } from '../platform/sweeper.ts';

const EVERY_MS = 60_000;

/**
 * The tolerated clock skew between a server and the database, and so half of that between two servers: the shortest lease by
 * wall clocks, on a bot's answer, has 4 s left when it is renewed.
 */
const BORNE_MS = 1_000;

/** Compares the clock of this process with that of the database, and says in the log where leases and limits can't bear how they differ. */
export class ClockCheck {
  readonly #connection: Pick<Connection, 'db'>;
  readonly #log: Logger;
  readonly #sweeper: Sweeper;
  #isBorne = true;

  constructor(connection: Pick<Connection, 'db'>, log: Logger) {
    this.#connection = connection;
    this.#log = log;
    const failed = 'the clock was not compared with that of the database';
    this.#sweeper = new Sweeper({ sweep: () => this.look(), every: EVERY_MS, log, failed });
  }

  start(): void {
    this.#sweeper.start();
  }

  stop(): Promise<void> {
    return this.#sweeper.stop();
  }

  async look(): Promise<void> {
    const asked = Date.now();
    const { localTime } = (await this.#connection.db?.command({ hello: 1 })) ?? {};
    if (!(localTime instanceof Date)) return;
    // It was said at some time in between.
    const onTheWay = (Date.now() - asked) / 2;
    const ahead = Math.round(asked + onTheWay - localTime.getTime());
    const isBorne = Math.abs(ahead) - onTheWay <= BORNE_MS;
    if (isBorne === this.#isBorne) return;
    this.#isBorne = isBorne;
    if (isBorne)
      this.#log.info({ ahead_ms: ahead }, "this server's clock goes with that of the database again");
    else this.#log.warn({ ahead_ms: ahead }, DIFFERS);
  }
}

const DIFFERS =
  "this server's clock differs from that of the database: where servers' clocks do, they take what others have in hand, and limits " +
  'do not hold. Set the clocks of all of them by NTP';
