import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeStorage } from '../platform/fake-storage.ts';
import { openStore } from '../platform/storage.ts';
import { createQueue } from './queue.ts';
import { createSender } from './sender.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('location', { href: 'http://shop.intranet/' });
  vi.stubGlobal('document', { title: '', referrer: '' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const after = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** A server that opens sessions in the given times; gives what it has stored: each message once for a key of a session. */
function serve(latencies: readonly number[]) {
  const stored = new Map<string, string>();
  let opened = 0;
  vi.stubGlobal(
    'fetch',
    async (url: URL, { body, headers }: { body: string; headers: Record<string, string> }) => {
      const answer = (status: number, json: object) => new Response(JSON.stringify(json), { status });
      if (url.pathname.endsWith('/sessions/')) {
        const number = ++opened;
        await after(latencies[number - 1] as number);
        return answer(201, { token: `${number}`, room: { uuid: `room${number}`, label: `label${number}` } });
      }
      await after(30);
      const { room, ...said } = JSON.parse(body);
      const session = headers.Authorization?.replace('Visitor ', '');
      if (room.uuid !== `room${session}`) return answer(400, { room: ['Unknown.'] });
      stored.set(`${session} ${headers['Idempotency-Key']}`, JSON.stringify(said));
      return answer(201, { uuid: 'uuid', sent_at: new Date().toISOString() });
    },
  );
  return stored;
}

test.each([
  ['the tab that began is the first', [60, 70]],
  ['the other tab is the first', [100, 20]],
  ['both come together', [60, 49.5]],
])('two tabs without locks begin one conversation, where %s', async (_case, latencies) => {
  vi.stubGlobal('navigator', { onLine: true });
  const stored = serve(latencies);
  const area = fakeStorage();
  const open = () => {
    const store = openStore('p.', () => area);
    const queue = createQueue(store);
    const start = () =>
      createSender({
        server: 'http://x/',
        token: 'w',
        prefix: 'p.',
        store,
        queue,
        locale: () => 'en',
        changed() {},
      });
    return { queue, start };
  };
  const [one, two] = [open(), open()];
  const { id } = one.queue.add('message', { body: 'Hello', nickname: 'Ada' });
  const senders = [one.start()];
  await vi.advanceTimersByTimeAsync(10);
  senders.push(two.start());
  await vi.advanceTimersByTimeAsync(1_000);
  for (const sender of senders) sender.stop();
  expect([...stored.values()]).toEqual(['{"body":"Hello","nickname":"Ada"}']);
  expect(two.queue.items()).toMatchObject([{ id, sent: { uuid: 'uuid' } }]);
});
