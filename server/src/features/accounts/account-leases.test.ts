import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { AccountLeases } from './account-leases.ts';

const app = testApp();
const newLeases = () => new AccountLeases(app.services.models.registrationClaims);

/** What a machine does that sleeps: its wall clock goes on, and nothing else. */
const sleepFor = (ms: number): void => {
  const asleep = Date.now() + ms;
  const now = vi.spyOn(Date, 'now').mockImplementation(() => asleep);
  onTestFinished(() => now.mockRestore());
};

it('is not held any more by a process whose machine slept for longer than it lasts', async () => {
  const done = newLeases().run('members sleeper', async (lease) => {
    lease.check();
    sleepFor(15_001);
    lease.check();
  });
  await expect(done).rejects.toMatchObject({ code: 'unavailable' });
});

it('that is kept on is asked for anew by a process whose machine slept', async () => {
  const name = 'import sleeper';
  const kept = await newLeases().keep(name);
  kept.check(20_000);
  sleepFor(30_001);
  expect(() => kept.check(0)).toThrow();
  // Another process has it by now.
  await app.services.models.registrationClaims.updateOne(
    { _id: name },
    { expires_at: new Date(Date.now() + 20_000) },
  );
  await expect(kept.renew()).rejects.toMatchObject({ code: 'unavailable' });
  await kept.giveBack();
});
