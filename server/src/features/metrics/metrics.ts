import type { Middleware } from 'koa';
import type { Model } from 'mongoose';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { DiskReserve } from '../../database/disk-reserve.ts';
import type { EventHolder } from '../../events/events.ts';
import type { State } from '../../http/context.ts';
import type { DeliveryModel } from '../webhooks/deliveries.model.ts';

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
    const gauge = (name: string, help: string, value: () => number | Promise<number>): void => {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await value());
        },
      });
    };
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
    gauge('parlor_deliveries_pending', 'Deliveries that wait for an attempt, of all processes.', () =>
      models.deliveries
        .countDocuments({ queue: { $exists: true } })
        .limit(COUNTED)
        .exec(),
    );
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
    new Gauge({
      name: 'parlor_outbox_waiting',
      help: 'Documents whose events have not been announced, of all processes.',
      labelNames: ['collection'],
      registers,
      async collect() {
        for (const [collection, model] of Object.entries(outbox)) {
          const counted = (model as Model<EventHolder>).countDocuments({ 'events.at': { $exists: true } });
          this.set({ collection }, await counted.limit(COUNTED).exec());
        }
      },
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

  /** The text format of Prometheus, and its media type. */
  async text(): Promise<{ type: string; text: string }> {
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const knownMethod = (method = ''): string => (METHODS.has(method) ? method : 'other');
