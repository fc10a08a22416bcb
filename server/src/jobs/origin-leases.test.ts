import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../test/app.ts';
import { LEASE_TIMING, OriginLeases } from './origin-leases.ts';

const app = testApp();

it('are not held any more by a process whose machine slept, until others have seen it live again', async () => {
  const { models, log } = app.services;
  const leases = new OriginLeases({
    senders: models.webhookSenders,
    origins: models.webhookOrigins,
    isOnlyProcess: false,
    timing: { ...LEASE_TIMING, beatEvery: 50 },
    log,
  });
  const holder = { look: vi.fn(), lost: vi.fn(), woken: vi.fn() };
  leases.start(holder);
  onTestFinished(() => leases.stop(holder));
  await vi.waitFor(() => expect(leases.isHeld).toBe(true));
  // Its wall clock has gone on, and nothing else.
  const asleep = Date.now() + 60_000;
  const now = vi.spyOn(Date, 'now').mockImplementation(() => asleep);
  onTestFinished(() => now.mockRestore());
  expect(leases.isHeld).toBe(false);
  await vi.waitFor(() => expect(leases.isHeld).toBe(true), { timeout: 20_000 });
});
