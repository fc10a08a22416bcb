import type { Middleware } from 'koa';
import type { Model } from 'mongoose';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type LabelValues, Registry } from 'prom-client';
import type { DiskReserve } from '../../database/disk-reserve.ts';
import { EVER } from '../../database/has-come.ts';
import type { EventHolder } from '../../events/events.ts';
import type { State } from '../../http/context.ts';
import type { DeliveryModel } from '../webhooks/deliveries.model.ts';
import { boundedCount } from './bounded-count.ts';

/** Seconds; a page view should see the first half, an operator's alarm the second. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** A queue longer than this is long: it is not counted further. */
const COUNTED = 100_000;

/** What is watched. */
interface Watched {
  channel: { connections: { readonly size: number } };
  diskReserve: DiskReserve | undefined;
  models: { deliveries: DeliveryModel };
  sender: { counts: Record<string, number> };
  mailer: { counts: Record<string, number> } | undefined;
  /** The collections whose documents carry events, by their names. */
  outbox: Record<string, unknown>;
}

/**
 * What operators watch (docs/contract.md#operation), in a registry of its own, so that servers in one process
 * do not mix.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<'method' | 'route' | 'status'>;
  readonly #databaseUp: Gauge;
  /** Each asks the database, sets its sample or leaves it out, and says whether there was an answer. */
  readonly #counts: (() => Promise<boolean>)[] = [];

  constructor({ channel, diskReserve, models, sender, mailer, outbox }: Watched) {
    const registers = [this.#registry];
    // The event loop's lag, memory, garbage collection, open handles.
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Histogram({
      name: 'parlor_http_request_duration_seconds',
      help: 'Duration of HTTP requests.',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers,
    });
    const gauge = (name: string, help: string, value: () => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value());
        },
      });
    };
    this.#databaseUp = new Gauge({
      name: 'parlor_database_up',
      help: '1 when the database told all that was counted for this response, within 2 s.',
      registers,
    });
    if (diskReserve) {
      gauge(
        'parlor_database_free_bytes',
        'Bytes that the embedded database can still write, on the disk and in its file.',
        () => diskReserve.freeBytes,
      );
      gauge(
        'parlor_disk_reserve_reached',
        '1 while what stores is refused, as the disk is nearly full.',
        () => Number(diskReserve.isReached),
      );
    }
    gauge(
      'parlor_realtime_connections',
      'Clients connected to this process.',
      () => channel.connections.size,
    );
    const pending = new Gauge({
      name: 'parlor_deliveries_pending',
      help: 'Deliveries that wait for an attempt, of all processes.',
      registers,
    });
    this.#count(pending, {}, () => models.deliveries.countDocuments({ queue: { $gt: '' } }).limit(COUNTED));
    const attempts = (name: string, help: string, counts: Record<string, number>): void => {
      new Counter({
        name,
        help,
        labelNames: ['result'],
        registers,
        collect() {
          this.reset();
          for (const [result, count] of Object.entries(counts)) this.inc({ result }, count);
        },
      });
    };
    attempts(
      'parlor_delivery_attempts_total',
      'Attempts of this process to deliver to webhooks, by what came of them.',
      sender.counts,
    );
    if (mailer) {
      attempts(
        'parlor_mail_attempts_total',
        'Attempts of this process to send mails, by what came of them; deferred: a budget was used up.',
        mailer.counts,
      );
    }
    const waiting = new Gauge({
      name: 'parlor_outbox_waiting',
      help: 'Documents whose events have not been announced, of all processes.',
      labelNames: ['collection'],
      registers,
    });
    for (const [collection, model] of Object.entries(outbox)) {
      const unannounced = { 'events.at': { $gt: EVER } };
      this.#count(waiting, { collection }, () =>
        (model as Model<EventHolder>).countDocuments(unannounced).limit(COUNTED),
      );
    }
  }

  /** Has the gauge tell what a query counts at each request. */
  #count<T extends string>(
    gauge: Gauge<T>,
    labels: LabelValues<T>,
    query: () => { exec(): Promise<number> },
  ): void {
    const count = boundedCount(() => query().exec());
    this.#counts.push(async () => {
      const value = await count();
      if (value === undefined) gauge.remove(labels);
      else gauge.set(labels, value);
      return value !== undefined;
    });
  }

  /** Measures every request by its route, not its path: ids must not make ever more series. */
  measure(): Middleware<State> {
    return async (ctx, next) => {
      const started = performance.now();
      try {
        await next();
      } finally {
        const route = String((ctx as { _matchedRoute?: unknown })._matchedRoute ?? 'other');
        const seconds = (performance.now() - started) / 1_000;
        const { req, res } = ctx;
        this.#requests.observe({ method: knownMethod(req.method), route, status: res.statusCode }, seconds);
      }
    };
  }

  /**
   * The text format of Prometheus, and its media type. Whatever the database does: what this process knows of itself is
   * needed most when that is away.
   */
  async text(): Promise<{ type: string; text: string }> {
    const answered = await Promise.all(this.#counts.map((count) => count()));
    this.#databaseUp.set(Number(answered.every(Boolean)));
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const knownMethod = (method = ''): string => (METHODS.has(method) ? method : 'other');
