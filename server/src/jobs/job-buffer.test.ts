import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { JobBuffer } from './job-buffer.ts';
import type { Job } from './job-kind.ts';

it('wakes for what is due also after the clock was put back, and forward again', async () => {
  const now = vi.spyOn(Date, 'now');
  onTestFinished(() => now.mockRestore());
  const real = performance.timeOrigin;
  let offset = 0;
  now.mockImplementation(() => Math.round(real + performance.now() + offset));
  const job = (_id: string, inMs: number): Job => ({ _id, due_at: new Date(Date.now() + inMs) }) as Job;
  let waiting: Job[] = [];
  const taken: string[] = [];
  const buffer: JobBuffer<Job> = new JobBuffer('queue', { read: async () => waiting }, () => void look());
  const look = async (): Promise<void> => {
    await buffer.read();
    for (const { _id } of buffer.ready.splice(0)) {
      waiting = waiting.filter((one) => one._id !== _id);
      taken.push(_id);
      buffer.letGo(_id);
    }
  };
  onTestFinished(() => buffer.close());

  waiting = [job('first', 30)];
  offset = -3_600_000;
  await look();
  expect(taken).toEqual([]);
  offset = 0;
  await sleep(40);
  // As the sweep does, since the clock that the timer was set by was another one.
  await look();
  expect(taken).toEqual(['first']);
  waiting = [job('second', 30)];
  await look();
  await vi.waitFor(() => expect(taken).toEqual(['first', 'second']), 60_000);
});

it('prepares what is due, and of that what is not in hand yet', async () => {
  const job = (_id: string, inMs: number): Job => ({ _id, due_at: new Date(Date.now() + inMs) }) as Job;
  const waiting = [job('first', -20), job('second', -10), job('later', 60_000)];
  const prepared: string[][] = [];
  const released: string[] = [];
  const buffer = new JobBuffer<Job>(
    'queue',
    {
      read: async () => waiting,
      prepare: async (jobs) => void prepared.push(jobs.map(({ _id }) => _id)),
      release: (id) => released.push(id),
    },
    () => undefined,
  );
  onTestFinished(() => buffer.close());
  await buffer.read();
  waiting.splice(2, 0, job('third', -5));
  await buffer.read();
  expect(prepared).toEqual([['first', 'second'], ['third']]);
  const [first] = buffer.ready.splice(0, 1);
  buffer.letGo(first?._id ?? '');
  expect(released).toEqual(['first']);
  // Others may take over what is ready.
  buffer.close();
  expect(released).toEqual(['first', 'second', 'third']);
});
