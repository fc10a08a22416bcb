import { Agent, fetch } from 'undici';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { startLlmServer } from './agent-llm-server.ts';
import { behindEach, twoServers } from './proxies-parts.ts';
import { connect, openSocket } from './realtime-client.ts';
import { isType, says } from './realtime-parts.ts';
import { callableBy } from './wire.ts';

/** What lives longer than a request behind the files of docs/proxies: live connections and event streams. */

const llm = await startLlmServer();
afterAll(() => llm.close());

/** One word of a model's stream. */
const word = (content: string) =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

behindEach((name) => {
  const { servers, proxy, fetching } = twoServers(name, () => ({ LLM_URL: llm.url, LLM_MODEL: 'small' }));
  const live = (credential: Parameters<typeof connect>[1]) =>
    connect(proxy().url, credential, { ca: proxy().ca });
  const open = () => openSocket(proxy().url, { ca: proxy().ca });

  it('a WebSocket carries frames and pings both ways, and the codes that it ends with', async () => {
    const api = callableBy(fetching());
    const { token, widget } = await api.account();
    const { visitor, room } = await api.session(widget);
    const [operator, page] = [await live({ token }), await live({ visitor })];
    const say = (body: string, as: object) =>
      api.request('POST', '/api/v1/messages/', { ...as, body: { body, room: { uuid: room.uuid } } });
    await say('Do you deliver?', { visitor });
    await operator.find(says('Do you deliver?'));
    operator.send({ type: 'typing', room: room.uuid, is_typing: true });
    await page.find(isType('typing', { sender: 'person', is_typing: true }));
    page.send({ type: 'ping' });
    await page.find(isType('pong'));
    const answered = new Promise((resolve) => operator.socket.once('pong', resolve));
    operator.socket.ping();
    await answered;

    page.socket.close(4000, 'gone');
    expect(await page.closed).toEqual({ code: 4000, reason: 'gone' });
    operator.send({ type: 'typing', room: 'x'.repeat(20_000), is_typing: true });
    expect((await operator.closed).code).toBe(1009);
    const broken = await open();
    broken.socket.send('{');
    expect((await broken.closed).code).toBe(1008);
    const nobody = await open();
    nobody.send({ type: 'auth', scheme: 'Token', token: 'guess' });
    expect((await nobody.closed).code).toBe(4401);
  });

  it('an event stream arrives word by word, as it is made', async () => {
    const api = callableBy(fetching());
    const { token } = await api.account();
    const nodes = [
      { id: 's', type: 'start', greeting: 'Hello!', next: 'a' },
      { id: 'a', type: 'llm', prompt: 'Answer.' },
    ];
    const flow = { name: 'Model', is_published: true, nodes };
    const { public_key } = (await api.request('POST', '/api/v1/workflows/', { token, body: flow })).json;
    const headers = { 'x-api-key': public_key, 'content-type': 'application/json' };
    const start = '/api/v1/public/conversations/start';
    const { conversationId } = (await api.request('POST', start, { headers })).json;

    // The model says the next word only when the one before has arrived.
    const words = ['One ', 'two ', 'three'];
    let arrived = () => {};
    llm.behave(async (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const text of words) {
        const seen = new Promise<void>((resolve) => {
          arrived = resolve;
        });
        res.write(word(text));
        await seen;
      }
      res.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    });
    const dispatcher = new Agent({ connect: { ca: proxy().ca, servername: 'localhost' } });
    onTestFinished(() => dispatcher.destroy());
    const path = `/api/v1/public/conversations/${conversationId}/messages`;
    const answer = await fetch(proxy().url + path, {
      method: 'POST',
      dispatcher,
      headers: { ...headers, accept: 'text/event-stream' },
      body: '{"message":"Count"}',
    });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    let text = '';
    let heard = 0;
    for await (const bytes of answer.body ?? []) {
      text += Buffer.from(bytes).toString();
      const deltas = [...text.matchAll(/event: delta\ndata: (.*)\n/g)].map((found) =>
        JSON.parse(found[1] ?? ''),
      );
      const said = deltas.map((delta) => delta.text).join('');
      while (
        heard < words.length &&
        said.startsWith(
          words
            .slice(0, heard + 1)
            .join('')
            .trimEnd(),
        )
      ) {
        heard++;
        arrived();
      }
    }
    expect(heard).toBe(words.length);
    expect(text).toContain('event: done');
    expect(text).toContain('One two three');
  });

  it('a server that stops takes leave of its clients, and requests go on', async () => {
    const api = callableBy(fetching());
    const { token } = await api.account();
    const sockets = await Promise.all(Array.from({ length: 4 }, () => live({ token })));
    const [one, two] = servers();
    let stopped = false;
    const asking = (async () => {
      const statuses: number[] = [];
      for (let after = 0; after < 20; after += stopped ? 1 : 0)
        statuses.push((await api.request('GET', '/api/v1/rooms/', { token })).status);
      return statuses;
    })();
    await two?.end('SIGTERM');
    stopped = true;
    expect(new Set(await asking)).toEqual(new Set([200]));
    // Half of them were on that server; the others go on.
    const left = await Promise.all(
      sockets.map(({ closed, send, find, socket }) => {
        if (socket.readyState === socket.OPEN) send({ type: 'ping' });
        return find(isType('pong')).then(
          () => 'goes on',
          async () => (await closed).code,
        );
      }),
    );
    expect(left.toSorted()).toEqual([1001, 1001, 'goes on', 'goes on']);
    expect(await fetch(`${one?.url}/healthz`)).toMatchObject({ status: 200 });
    await live({ token });
  });
});
