import { expect, it, onTestFinished } from 'vitest';
import { says, startLlmServer } from './agent-llm-server.ts';
import { SLACK_MS, startFrozen, TIMEOUT_MS, timed } from './frozen-server.ts';
import { caller } from './rest.ts';

it.skipIf(process.platform === 'win32')(
  'who waits in one line when a database freezes is told with the others, and then each at once',
  { timeout: 240_000 },
  async () => {
    const llm = await startLlmServer();
    onTestFinished(() => llm.close());
    llm.behave(says('We do.', { before: 1_000 }));
    const { server, database, api, headers, post } = await startFrozen({
      LLM_URL: llm.url,
      LLM_MODEL: 'small',
    });
    const rest = caller(server.url, headers.Authorization);
    const { json: room } = await rest('POST', '/api/v1/rooms/', {});
    const nodes = [
      { id: 's', type: 'start', greeting: 'Hi', next: 'l' },
      { id: 'l', type: 'llm' },
    ];
    const made = await rest('POST', '/api/v1/workflows/', { name: 'Slow', is_published: true, nodes });
    const agent = { 'Content-Type': 'application/json', 'X-API-Key': made.json.public_key };
    const conversations = `${server.url}/api/v1/public/conversations`;
    const started = await fetch(`${conversations}/start`, { method: 'POST', headers: agent, body: '{}' });
    const { conversationId } = (await started.json()) as { conversationId: string };

    const send = (method: string, path: string, body: object) =>
      timed(`${api}${path}`, { method, headers, body: JSON.stringify(body) });
    const messages = Array.from({ length: 12 }, (_, n) =>
      timed(`${conversations}/${conversationId}/messages`, {
        method: 'POST',
        headers: agent,
        body: JSON.stringify({ message: `Do you? ${n}` }),
      }),
    );
    await expect.poll(() => llm.asked.length).toBe(1);
    database.process.kill('SIGSTOP');
    const changes = Array.from({ length: 12 }, (_, n) =>
      send('PATCH', `/rooms/${room.label}/`, { name: `${n}` }),
    );
    const keywords = Array.from({ length: 12 }, (_, n) => send('POST', '/keywords/', { keyword: `k${n}` }));
    for (const { status, took } of await Promise.all([...messages, ...changes, ...keywords])) {
      expect([200, 503]).toContain(status);
      expect(took).toBeLessThan(TIMEOUT_MS * 2 + SLACK_MS);
    }

    // Now it is known: neither what asks the database several times nor who comes next waits for it.
    const ada = { username: 'ada', password: 'pick-a-long-one' };
    const later = await Promise.all([
      post('/auth/api-token', ada, { Authorization: '' }),
      post('/rooms/', {}),
      send('PATCH', `/rooms/${room.label}/`, { name: 'later' }),
      send('POST', '/keywords/', { keyword: 'later' }),
    ]);
    for (const { status, retryAfter, took } of later) {
      expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '1' });
      expect(took).toBeLessThan(SLACK_MS);
    }

    database.process.kill('SIGCONT');
    await expect
      .poll(async () => (await timed(`${server.url}/readyz`)).status, { timeout: 60_000 })
      .toBe(200);
    expect((await send('PATCH', `/rooms/${room.label}/`, { name: 'back' })).status).toBe(200);
    expect((await send('POST', '/keywords/', { keyword: 'back' })).status).toBe(201);
    const { status } = await timed(`${conversations}/${conversationId}/messages`, {
      method: 'POST',
      headers: agent,
      body: JSON.stringify({ message: 'And now?' }),
    });
    expect(status).toBe(200);
  },
);
