import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { DiskReserve } from '../../database/disk-reserve.ts';
import { createReadiness } from '../../database/readiness.ts';
import { diskNearlyFull } from '../../database/unavailable.ts';
import type { RateLimits } from '../../http/rate-limits.ts';
import type { Route } from '../../http/route.ts';

const tag = 'Operation';
const callers = ['public'] as const;

/** GET /healthz: the process answers. GET /readyz: the database takes writes of any size, 503 with the reason until then. */
export const healthRoutes = ({
  connection,
  diskReserve,
  rateLimits,
}: {
  connection: Pick<Connection, 'collection'>;
  diskReserve: DiskReserve | undefined;
  rateLimits: RateLimits;
}): Route[] => {
  const takesWrites = createReadiness(connection);

  return [
    {
      method: 'GET',
      path: '/healthz',
      id: 'health',
      tag,
      summary: 'Alive',
      description: 'Says nothing of the database: restart the process when this fails.',
      callers,
      answers: {
        status: 200,
        description: 'The process answers.',
        schema: z.object({ status: z.literal('alive') }),
      },
      handler: (ctx) => {
        ctx.set('Cache-Control', 'no-store');
        ctx.body = { status: 'alive' };
      },
    },
    {
      method: 'GET',
      path: '/readyz',
      id: 'readiness',
      tag,
      summary: 'Ready: the database takes a write within 2 seconds',
      description:
        'Send requests here only while this is a 200. A 503 says what is wrong; while the disk is nearly full (`DISK_RESERVE_MIB`), ' +
        'it says so, and reading, signing in and deleting still work.',
      callers,
      errors: [429],
      answers: {
        status: 200,
        description: 'Requests can be answered.',
        schema: z.object({ status: z.literal('ready') }),
      },
      handler: async (ctx) => {
        const limit = rateLimits.of('readyz');
        const isSpent = limit?.isSpent(rateLimits.addressOf(ctx));
        if (isSpent) await rateLimits.countAddress(ctx, 'readyz');
        await takesWrites();
        ctx.set('Cache-Control', 'no-store');
        // Counted afterwards: a database that does not answer is to be told of, and not waited for.
        await rateLimits.countAddress(ctx, 'readyz');
        if (diskReserve?.isReached) throw diskNearlyFull();
        ctx.body = { status: 'ready' };
      },
    },
  ];
};
