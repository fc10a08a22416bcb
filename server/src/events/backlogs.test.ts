import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../test/app.ts';
import { defineModel } from '../database/model.ts';
import { type EventHolder, newEvent, outboxFields, outboxIndex } from './events.ts';
import { Relay } from './relay.ts';

const app = testApp();
const holderModel = defineModel<EventHolder>('BacklogHolder', { _id: String, ...outboxFields }, [
  outboxIndex,
]);

/** More microtasks than there are between what a query brings and what the relay does next. */
const TICKS = 30;

it('lets nothing overtake the last part of a backlog that is announced while that is read', async () => {
  const { connection, log } = app.services;
  const holders = holderModel(connection);
  const account = randomUUID();
  const begin = Date.now() - 10_000;
  let last = 0;
  const next = () => {
    const n = last++;
    return { _id: randomUUID(), events: [newEvent('lead.added', account, new Date(begin + n), { n })] };
  };
  const heard: number[] = [];
  let go = (): void => undefined;
  const isFree = new Promise<void>((resolve) => {
    go = resolve;
  });
  const relay = new Relay([holders], log, { maxInHand: 100 });
  onTestFinished(() => relay.stop());
  relay.subscribe(async (events) => {
    await isFree;
    heard.push(...events.map(({ data }) => (data as { n: number }).n));
  });
  // As many are queued as are left to others; the rest waits in its documents.
  const all = Array.from({ length: 60 }, next);
  await holders.insertMany(all);
  for (const holder of all) relay.announce(holders, holder);

  const find = holders.find.bind(holders) as (...given: unknown[]) => ReturnType<typeof holders.find>;
  const reading = vi.spyOn(holders, 'find').mockImplementationOnce((...given) => {
    const query = find(...given);
    const exec = query.exec.bind(query);
    query.exec = async () => {
      relay.announce(holders, next());
      const found = await exec();
      void (async () => {
        for (let tick = 0; tick < TICKS; tick++) {
          relay.announce(holders, next());
          await undefined;
        }
      })();
      return found;
    };
    return query;
  });
  onTestFinished(() => reading.mockRestore());
  go();
  await expect.poll(() => heard.length, { timeout: 60_000 }).toBe(all.length + 1 + TICKS);
  expect(heard).toEqual(Array.from({ length: last }, (_, n) => n));
  await connection.dropCollection(holders.collection.name);
});
