import { vi } from 'vitest';
import type { Services } from '../src/compose.ts';

/** Far enough ahead that no search for events left behind takes them. */
const LATER = 3_600_000;

/**
 * Keeps what is written from now on from being announced, as a process does that is killed in between.
 * @returns what ends that
 */
export const holdEvents = ({ relay }: Pick<Services, 'relay'>): (() => void) => {
  const held = vi.spyOn(relay, 'announce').mockImplementation(() => undefined);
  return () => held.mockRestore();
};

/** Makes sure that a document still carries its first event when it is looked at, however slow the machine. */
export const waitingStill = async (model: object, uuid: string): Promise<void> => {
  const rooms = model as Services['models']['rooms'];
  const at = new Date(Date.now() + LATER);
  await rooms.updateOne({ _id: uuid, events: { $exists: true } }, { $set: { 'events.0.at': at } });
};

/** The events of deleted documents that still wait: their names and their objects. */
export const buriedEvents = async ({ models }: Pick<Services, 'models'>): Promise<[string, string][]> => {
  const graves = await models.tombstones.find({}).lean();
  return graves.flatMap(({ events = [] }) =>
    events.map(({ name, data }): [string, string] => [name, (data as { uuid: string }).uuid]),
  );
};
