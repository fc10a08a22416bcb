import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { saysLater, startLlmServer } from './agent-llm-server.ts';
import { owner } from './rest.ts';
import { MAIN, serverSettings, startServerProcess } from './server-process.ts';

const ROOMS = 100;

const startSmall = async () => {
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
  return { llm, say, url: server.url, ...(await owner(server.url)) };
};

it('a small server holds a few of the turns that wait for a language model, whatever bots say before', async () => {
  const { llm, say, rest } = await startSmall();
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

it('a message of the agent API whose client hangs up before its turn leaves the line, and may be said again', async () => {
  const { llm, say, url, rest } = await startSmall();
  const nodes = [
    { id: 's', type: 'start', greeting: 'Hi', next: 'l' },
    { id: 'l', type: 'llm' },
  ];
  const { json } = await rest('POST', '/api/v1/workflows/', { name: 'Slow', is_published: true, nodes });
  const post = (path: string, body: object, more: RequestInit = {}) =>
    fetch(`${url}/api/v1/public/conversations/${path}`, {
      ...more,
      method: 'POST',
      headers: { 'X-API-Key': json.public_key, 'Content-Type': 'application/json', ...more.headers },
      body: JSON.stringify(body),
    });
  const open = async (): Promise<string> => (await (await post('start', {})).json()).conversationId;
  const [id, other] = [await open(), await open()];
  // More than one account has under way.
  const busy = await Promise.all(Array.from({ length: 8 }, open));
  const answers = busy.map((id) => post(`${id}/messages`, { message: 'Hi' }));
  await expect.poll(() => llm.asked.length, { timeout: 60_000 }).toBeGreaterThan(0);
  await sleep(1_000);
  const under = llm.asked.length;
  const headers = { 'Idempotency-Key': '0b8f3f3e-57c5-4a5e-8b57-2c8f0f2f6f11' };
  const isJson = { accept: 'application/json' };
  const isStream = { accept: 'text/event-stream' };
  for (const [to, more] of [
    [id, { ...headers, ...isJson }],
    [id, { ...headers, ...isStream }],
    [other, isJson],
    [other, isStream],
  ] as const) {
    const gone = new AbortController();
    const lost = post(`${to}/messages`, { message: 'Lost' }, { signal: gone.signal, headers: more });
    await sleep(500);
    gone.abort();
    await expect(lost.then((answer) => answer.text())).rejects.toThrow();
  }
  await sleep(500);
  expect(llm.asked.length).toBe(under);
  const again = post(`${id}/messages`, { message: 'Lost' }, { headers });
  say();
  expect((await again).status).toBe(200);
  for (const answer of answers) expect((await answer).status).toBe(200);
  const shown = async (conversation: string) => {
    const as = { headers: { 'X-API-Key': json.public_key } };
    return (await fetch(`${url}/api/v1/public/conversations/${conversation}`, as)).text();
  };
  expect((await shown(id)).match(/"Lost"/g)).toHaveLength(1);
  expect(await shown(other)).not.toContain('"Lost"');
  // Once for each conversation: what had hung up asked nothing.
  expect(llm.asked.length).toBe(9);
}, 180_000);
