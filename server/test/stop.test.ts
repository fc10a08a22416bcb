import { Agent, request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { hangs, startLlmServer } from './agent-llm-server.ts';
import { owner } from './rest.ts';
import { serverSettings, startServerProcess } from './server-process.ts';

/** A GET on a connection that is kept, as proxies and programs send them. */
const get = (agent: Agent, url: string, headers: Record<string, string>) =>
  new Promise<{ status: number | undefined; connection: string | undefined; isWhole: boolean }>(
    (resolve, reject) => {
      request(url, { agent, headers }, (response) => {
        response.resume().once('close', () =>
          resolve({
            status: response.statusCode,
            connection: response.headers.connection,
            isWhole: response.complete,
          }),
        );
      })
        .once('error', reject)
        .end();
    },
  );

const errorsIn = (log: string) => log.split('\n').filter((line) => /"level":[56]0/.test(line));

it('ends connections that are always busy, each after a response that says so', async () => {
  const server = await startServerProcess({ ...(await serverSettings()), RATE_LIMIT: 'off' });
  const { token } = await owner(server.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());
  const answers: Awaited<ReturnType<typeof get>>[] = [];
  let isGone = false;
  const busy = Array.from({ length: 8 }, async () => {
    while (!isGone) {
      await get(agent, `${server.url}/api/v1/rooms/`, { authorization: `Token ${token}` }).then(
        (answer) => answers.push(answer),
        ({ code }) => {
          isGone = code === 'ECONNREFUSED';
        },
      );
    }
  });
  await expect.poll(() => answers.length).toBeGreaterThan(100);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await Promise.all(busy);
  expect(new Set(answers.map(({ status, isWhole }) => `${status} ${isWhole}`))).toEqual(
    new Set(['200 true']),
  );
  expect(answers.some(({ connection }) => connection === 'close')).toBe(true);
  expect(errorsIn(server.stderr())).toEqual([]);
});

it('refuses what takes too long, and answers it', { timeout: 60_000 }, async () => {
  const llm = await startLlmServer();
  onTestFinished(() => llm.close());
  llm.behave(hangs);
  const server = await startServerProcess({
    ...(await serverSettings()),
    LLM_URL: llm.url,
    LLM_MODEL: 'small',
    LLM_TIMEOUT: '60s',
  });
  const { rest } = await owner(server.url);
  const nodes = [
    { id: 's', type: 'start', greeting: 'Hi', next: 'l' },
    { id: 'l', type: 'llm' },
  ];
  const made = await rest('POST', '/api/v1/workflows/', { name: 'Slow', is_published: true, nodes });
  const post = (path: string, body: object, signal: AbortSignal | null = null) =>
    fetch(`${server.url}/api/v1/public/conversations/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': made.json.public_key },
      body: JSON.stringify(body),
      signal,
    });
  const ask = async (signal?: AbortSignal) => {
    const { conversationId } = (await (await post('start', {})).json()) as { conversationId: string };
    return post(`${conversationId}/messages`, { message: 'Do you deliver?' }, signal);
  };
  const slow = ask();
  // Another caller goes away, and its message is worked on all the same.
  const leaving = new AbortController();
  const left = ask(leaving.signal);
  await expect.poll(() => llm.asked.length).toBe(2);
  leaving.abort();
  await expect(left).rejects.toThrow();
  const ended = server.end('SIGTERM');
  const answer = await slow;
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { error: 'The server is stopping. Try again.' },
  ]);
  expect(answer.headers.get('connection')).toBe('close');
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(errorsIn(server.stderr())).toEqual([]);
});
