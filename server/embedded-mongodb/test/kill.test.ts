/**
 * `kill -9` at random moments under concurrent writers: whatever was acknowledged is there, nothing is there by
 * half, and every index agrees with its documents. KILL_ROUNDS says how often (15; `npm run test:kill`: 500).
 */
import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Collection, MongoClient } from 'mongodb';
import { afterAll, expect, test } from 'vitest';
import { startBin, temporaryFolder } from './bin-process.ts';

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 10);
const WRITERS = 12;
/** The longest time between the start of the writers and the kill. */
const LONGEST_MS = 400;
/** Rounds on one data directory before the next one: what is there is checked in every round. */
const ROUNDS_PER_DIRECTORY = 25;

interface Thing {
  _id: string;
  writer: number;
  email: string;
  tags: string[];
  n: number;
  filling: string;
}

/** What one writer was told, and what it asked for last without being told. */
interface Ledger {
  /** `_id` -> the value of `n` that was acknowledged last. */
  certain: Map<string, number>;
  /** `_id` -> the values that it may have instead; undefined for not being there. */
  possible: Map<string, number | undefined>;
}

const folder = temporaryFolder();
afterAll(() => folder.remove());

test(`nothing acknowledged is lost in ${ROUNDS} kills`, { timeout: ROUNDS * 10_000 }, async () => {
  let acknowledged = 0;
  for (let from = 0; from < ROUNDS; from += ROUNDS_PER_DIRECTORY) {
    const data = join(folder.path, `data${from}`);
    const end = Math.min(ROUNDS, from + ROUNDS_PER_DIRECTORY);
    const ledgers = Array.from({ length: WRITERS }, newLedger);
    // Once more after the last kill, to see what that one has left.
    for (let round = from; round <= end; round++) {
      acknowledged += await live(data, ledgers, round, round === end ? 'SIGTERM' : 'SIGKILL');
    }
    rmSync(data, { recursive: true });
  }
  console.log(`${acknowledged} acknowledged writes, ${ROUNDS} kills`);
  expect(acknowledged).toBeGreaterThan(ROUNDS);
});

function newLedger(): Ledger {
  return { certain: new Map(), possible: new Map() };
}

/**
 * One life of the server: it is checked, and killed in the middle of writing. Gives how many writes were acknowledged.
 * One that is to end with SIGTERM is checked only.
 */
async function live(
  data: string,
  ledgers: Ledger[],
  round: number,
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<number> {
  const server = await startBin(data, join(folder.path, 'db.sock'));
  const client = new MongoClient(server.url, { serverSelectionTimeoutMS: 2000, maxPoolSize: WRITERS });
  try {
    const things = client.db('kill').collection<Thing>('things');
    await things.createIndexes([
      { key: { email: 1 }, unique: true },
      { key: { tags: 1, n: -1 } },
      { key: { n: 1 }, partialFilterExpression: { writer: { $gte: 4 } } },
    ]);
    await verify(things, ledgers);
    if (signal === 'SIGTERM') return 0;
    const end = { reached: false };
    const writers = ledgers.map((ledger, writer) => write(things, writer, ledger, end, round));
    await new Promise((resolve) => setTimeout(resolve, randomInt(LONGEST_MS)));
    await server.end('SIGKILL');
    end.reached = true;
    return (await Promise.all(writers)).reduce((sum, count) => sum + count, 0);
  } finally {
    await server.end(signal);
    await client.close(true);
  }
}

/** Writes until the server is gone. Gives how many writes were acknowledged. */
async function write(
  things: Collection<Thing>,
  writer: number,
  { certain, possible }: Ledger,
  end: { reached: boolean },
  round: number,
): Promise<number> {
  let count = 0;
  const attempt = async (changes: [id: string, n: number | undefined][], run: () => Promise<unknown>) => {
    for (const [id, n] of changes) possible.set(id, n);
    await run();
    for (const [id, n] of changes) {
      possible.delete(id);
      if (n === undefined) certain.delete(id);
      else certain.set(id, n);
    }
    count++;
  };
  try {
    for (let step = 0; !end.reached; step++) {
      const id = `${writer}-${round}-${step}`;
      const [old] = [...certain.keys()].slice(-randomInt(1, 20));
      switch (old === undefined ? 0 : step % 5) {
        case 0:
          await attempt([[id, 0]], () => things.insertOne(thing(id, writer)));
          break;
        case 1: {
          const ids = Array.from({ length: 10 }, (_, i) => `${id}-${i}`);
          await attempt(
            ids.map((one) => [one, 0]),
            () => things.insertMany(ids.map((one) => thing(one, writer))),
          );
          break;
        }
        case 2: {
          const n = (certain.get(old as string) as number) + 1;
          const change = { $inc: { n: 1 }, $push: { tags: `t${n}` } };
          await attempt([[old as string, n]], () => things.updateOne({ _id: old as string }, change));
          break;
        }
        case 3: {
          const n = (certain.get(old as string) as number) + 1;
          await attempt([[old as string, n]], () =>
            things.findOneAndUpdate({ email: `${old}@example.com` }, { $set: { n, tags: [`only${n}`] } }),
          );
          break;
        }
        default:
          await attempt([[old as string, undefined]], () => things.deleteOne({ _id: old as string }));
      }
    }
  } catch {
    // The server is gone, as it should be.
  }
  return count;
}

function thing(id: string, writer: number): Thing {
  const filling = 'x'.repeat(randomInt(3000));
  return { _id: id, writer, email: `${id}@example.com`, tags: ['a', `w${writer}`], n: 0, filling };
}

async function verify(things: Collection<Thing>, ledgers: Ledger[]): Promise<void> {
  const validated = await things.db.command({ validate: things.collectionName });
  expect(validated.errors).toEqual([]);
  const found = new Map<string, number>();
  for await (const { _id, n } of things.find({}, { projection: { n: 1 }, batchSize: 10_000 }))
    found.set(_id, n);
  for (const { certain, possible } of ledgers) {
    for (const [id, n] of certain) if (!possible.has(id)) expect([id, found.get(id)]).toEqual([id, n]);
    for (const [id, n] of possible) {
      expect([certain.get(id), n]).toContain(found.get(id));
      if (found.has(id)) certain.set(id, found.get(id) as number);
      else certain.delete(id);
    }
    possible.clear();
  }
  expect(found.size).toBe(ledgers.reduce((sum, { certain }) => sum + certain.size, 0));
}
