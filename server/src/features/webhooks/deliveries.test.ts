import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startReceiver, webhookParts } from '../../../test/webhooks-parts.ts';
import { newEvent } from '../../events/events.ts';

const start = webhookParts();

const WEBHOOKS_OF_EACH = 6;
/** Two such deliveries are a part of 1 MiB, of which 4 are written at a time. */
const BODY = 'x'.repeat(400_000);
const MOST_AT_ONCE = 2 * 4;

it('makes deliveries as they are written, however many accounts have some', async () => {
  const { consume, webhooks, models } = await start();
  const receiver = await startReceiver();
  let [unwritten, most] = [0, 0];
  const data = {
    toJSON: (field: string) => {
      // As a field of a body it is a delivery's; alone it is measured.
      if (field === 'data') most = Math.max(most, ++unwritten);
      return { body: BODY };
    },
  };
  const { deliveries } = models;
  const write = deliveries.bulkWrite.bind(deliveries);
  const writing = vi.spyOn(deliveries, 'bulkWrite').mockImplementation(async (rows, options) => {
    // So that writes meet that nothing keeps apart.
    await sleep(5);
    const written = await write(rows, options);
    unwritten -= rows.length;
    return written;
  });
  onTestFinished(() => writing.mockRestore());
  const accounts = Array.from({ length: 8 }, () => randomUUID());
  for (const account of accounts)
    for (let n = 0; n < WEBHOOKS_OF_EACH; n++)
      await webhooks.create(account, { event: 'message.added', target: `${receiver.url}?${n}` });
  await Promise.all(
    accounts.map((account) => consume([newEvent('message.added', account, new Date(), data)])),
  );
  expect(await deliveries.countDocuments()).toBe(accounts.length * WEBHOOKS_OF_EACH);
  expect(unwritten).toBe(0);
  expect(most).toBeLessThanOrEqual(MOST_AT_ONCE);
});
