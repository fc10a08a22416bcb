import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { saysLater, startLlmServer } from './agent-llm-server.ts';
import { owner } from './rest.ts';
import { MAIN, serverSettings, startServerProcess } from './server-process.ts';

const ROOMS = 100;

it('a small server holds a few of the turns that wait for a language model, whatever bots say before', async () => {
  const llm = await startLlmServer();
  onTestFinished(() => llm.close());
  const { behaviour, say } = saysLater('Yes.');
  llm.behave(behaviour);
  const model = { LLM_URL: llm.url, LLM_MODEL: 'small', LLM_TIMEOUT: '60s', BOT_WAIT_MS: '0' };
  const budgets = {
    LLM_TOKENS_PER_ADDRESS: '100000000',
    LLM_TOKENS_PER_DAY: '100000000',
    LLM_TOKENS_PER_DAY_TOTAL: '100000000',
  };
  const settings = { ...(await serverSettings()), ...model, ...budgets, RATE_LIMIT: 'off' };
  const server = await startServerProcess(settings, [process.execPath, '--max-old-space-size=128', MAIN]);
  const { rest } = await owner(server.url);
  // 16 kB each.
  const said = Array.from({ length: 15 }, (_, n) => ({
    ...{ id: `m${n}`, type: 'message', text: '\u{1f642}'.repeat(4_000), next: n < 14 ? `m${n + 1}` : 'l' },
  }));
  const nodes = [{ id: 's', type: 'start', greeting: 'Hi', next: 'm0' }, ...said, { id: 'l', type: 'llm' }];
  const made = await rest('POST', '/api/v1/workflows/', { name: 'Large', is_published: true, nodes });
  expect(made.status).toBe(201);
  const rooms: string[] = [];
  for (let n = 0; n < ROOMS; n += 20) {
    const some = Array.from({ length: 20 }, () => rest('POST', '/api/v1/rooms/', { is_bot_use: true }));
    for (const { json } of await Promise.all(some)) rooms.push(json.uuid);
  }
  for (let n = 0; n < ROOMS; n += 20) {
    const write = (uuid: string) => rest('POST', '/api/v1/messages/', { body: 'Hi', room: { uuid } });
    for (const { status } of await Promise.all(rooms.slice(n, n + 20).map(write))) expect(status).toBe(201);
  }
  await expect.poll(() => llm.asked.length, { timeout: 60_000 }).toBeGreaterThan(2);
  // As many as would be asked at once where memory is no matter.
  await sleep(3_000);
  expect(llm.asked.length).toBeLessThan(20);
  say();
  await expect.poll(() => llm.asked.length, { timeout: 60_000 }).toBeGreaterThan(30);
}, 180_000);
