import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { testAgent } from '../../../../test/agent.ts';
import { says, startLlmServer } from '../../../../test/agent-llm-server.ts';
import { testApp } from '../../../../test/app.ts';

/** What was booked beyond what an answer took, while the database is away. */

const llm = await startLlmServer();
const app = testApp({ LLM_URL: llm.url, LLM_API_KEY: 'sk-secret', LLM_MODEL: 'small' });
afterAll(() => llm.close());

const FLOW = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'l' },
  { id: 'l', type: 'llm', prompt: 'You are kind.' },
];
const away = () => Object.assign(new Error('connection 7 closed'), { name: 'MongoNetworkError' });
const day = new Date().toISOString().slice(0, 10);

it('is corrected in each budget once, as soon as the database is back', async () => {
  const { usage } = app.services.models;
  const agent = await testAgent(app, FLOW);
  const account = agent.account.id;
  const total = `server tokens ${day}`;
  const before = (await usage.findOne({ _id: total }).lean())?.used ?? 0;
  const { collection } = usage;
  const write = collection.updateOne.bind(collection) as (...given: unknown[]) => Promise<unknown>;
  const failed: string[] = [];
  const writes = vi.spyOn(collection, 'updateOne').mockImplementation((async (...given: any[]) => {
    const { _id, open } = given[0];
    if (open === undefined || failed.includes(_id)) return write(...given);
    failed.push(_id);
    // One is done all the same, and only its answer is lost.
    if (_id === total) await write(...given);
    throw away();
  }) as never);
  onTestFinished(() => writes.mockRestore());
  llm.behave(says('Yes.'));
  expect(await agent.talk(await agent.open(), 'Hm?')).toEqual([['Yes.'], 'active']);
  const documents = () => usage.find({ _id: { $regex: `^${account} tokens` } }).lean();
  await expect
    .poll(async () => (await documents()).map(({ used }) => used), { timeout: 30_000 })
    .toEqual([42, 42]);
  await expect.poll(() => writes.mock.calls.filter(([{ _id }]: any) => _id === total).length).toBe(2);
  // That of the client's address, too.
  expect(failed).toHaveLength(4);
  expect((await usage.findOne({ _id: total }).lean())?.used).toBe(before + 42);
  expect((await documents()).map(({ open }) => open)).toEqual([[], []]);
});

it.each(['is away', 'only loses its answer'])(
  'is taken back in each budget when the database %s in the middle of booking',
  async (how) => {
    const { usage } = app.services.models;
    const agent = await testAgent(app, FLOW);
    const account = agent.account.id;
    const total = `server tokens ${day}`;
    const before = (await usage.findOne({ _id: total }).lean())?.used ?? 0;
    const { collection } = usage;
    const book = collection.findOneAndUpdate.bind(collection) as (...given: unknown[]) => Promise<unknown>;
    const bookings = vi.spyOn(collection, 'findOneAndUpdate').mockImplementation((async (...given: any[]) => {
      if (given[0]._id !== total) return book(...given);
      if (how !== 'is away') await book(...given);
      throw away();
    }) as never);
    onTestFinished(() => bookings.mockRestore());
    const asked = llm.asked.length;
    // The turn is not taken: what the flow has for a failed model says nothing of the database.
    expect((await agent.say(await agent.open(), 'Hm?')).status).toBe(503);
    expect(llm.asked).toHaveLength(asked);
    const documents = () => usage.find({ _id: { $regex: `^${account} tokens` } }).lean();
    const left = async () => (await documents()).map(({ used, open }) => [used, open]);
    await expect.poll(left, { timeout: 30_000 }).toEqual([
      [0, []],
      [0, []],
    ]);
    await expect
      .poll(async () => (await usage.findOne({ _id: total }).lean())?.used ?? 0, { timeout: 30_000 })
      .toBe(before);
  },
);

it('is taken back later in each budget when one is exceeded while the database goes away', async () => {
  const { usage } = app.services.models;
  const agent = await testAgent(app, FLOW);
  const account = agent.account.id;
  const daily = `${account} tokens ${day}`;
  await usage.create({ _id: daily, used: 500_000, expires_at: new Date(Date.now() + 86_400_000) });
  const { collection } = usage;
  const write = collection.updateOne.bind(collection) as (...given: unknown[]) => Promise<unknown>;
  const failed: string[] = [];
  const writes = vi.spyOn(collection, 'updateOne').mockImplementation((async (...given: any[]) => {
    if (failed.includes(given[0]._id)) return write(...given);
    failed.push(given[0]._id);
    throw away();
  }) as never);
  onTestFinished(() => writes.mockRestore());
  expect(await agent.talk(await agent.open(), 'Hm?')).toEqual([[], 'active']);
  const documents = () => usage.find({ _id: { $regex: `^${account} tokens` } }).lean();
  const left = async () => (await documents()).map(({ used }) => used).sort((a, b) => a - b);
  await expect.poll(left, { timeout: 30_000 }).toEqual([0, 500_000]);
  expect(failed).toHaveLength(3);
});
