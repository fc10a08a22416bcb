import { randomUUID } from 'node:crypto';
import { kill } from 'node:process';
import { expect, it } from 'vitest';
import { behindEach, twoServers } from './proxies-parts.ts';
import { callableBy } from './wire.ts';

/** One of two servers dies, behind the files of docs/proxies. */

const REQUESTS = 16;

behindEach((name) => {
  const { servers, fetching, strict } = twoServers(name);

  it('a request that ends amid its body is its client’s loss alone', async () => {
    const body = 'a'.repeat(1024 * 1024);
    const spoilt = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
    for (const [method, headers] of [
      ['FOO', {}],
      ['GET', spoilt],
      ['GET', { 'x-long': 'b'.repeat(7_000), 'x-longer': 'b'.repeat(7_000), 'x-too': 'b'.repeat(7_000) }],
      ['POST', spoilt],
    ] as const) {
      await (await strict()).request(method, '/healthz', headers, body).catch(() => 'hung up');
      for (let n = 0; n < 4; n++) {
        const answer = await fetching()({ what: 'read', method: 'GET', path: '/healthz', headers: {} });
        expect([method, answer.status]).toEqual([method, 200]);
      }
    }
  });

  it('reads are asked again of the other server, and no POST is; then the other one serves alone', async () => {
    const api = callableBy(fetching());
    const { token } = await api.account();
    const room = (await api.request('POST', '/api/v1/rooms/', { token })).json;
    const post = (by: typeof api, body: string) =>
      by.request('POST', '/api/v1/messages/', { token, body: { body, room: { uuid: room.uuid } } });
    // Each on a connection of its own, so that they are on their way at the same time.
    const clients = Array.from({ length: REQUESTS }, () => callableBy(fetching()));
    await Promise.all(clients.map((by) => by.request('GET', '/healthz')));
    const dying = servers()[1] ?? expect.fail();
    kill(dying.pid, 'SIGSTOP');
    // Half of them, in turn, have gone to the server that does not answer any more.
    const half = async (send: (by: typeof api) => Promise<{ status: number }>) => {
      let answered = () => {};
      let count = 0;
      const halfAnswered = new Promise<void>((resolve) => {
        answered = () => ++count === REQUESTS / 2 && resolve();
      });
      const answers = clients.map(async (by) => {
        const status = await send(by).then(
          (answer) => answer.status,
          () => 'hung up',
        );
        answered();
        return status;
      });
      await halfAnswered;
      return answers;
    };
    const texts: string[] = [];
    const posts = await half((by) => {
      const body = randomUUID();
      texts.push(body);
      return post(by, body);
    });
    const reads = await half(() =>
      fetching()({ what: 'read', method: 'GET', path: '/healthz', headers: {} }),
    );
    await dying.end('SIGKILL');

    expect(new Set(await Promise.all(reads))).toEqual(new Set([200]));
    const statuses = await Promise.all(posts);
    expect(statuses.filter((status) => status === 201)).toHaveLength(REQUESTS / 2);
    // On a connection that was used before, HAProxy hangs up in place of a 502, so that its client decides.
    const lost = name === 'nginx' ? [502] : ['hung up', 502];
    expect(statuses.filter((status) => lost.includes(status))).toHaveLength(REQUESTS / 2);
    const stored = async () =>
      (await api.request('GET', `/api/v1/messages/?room=${room.uuid}`, { token })).json.map(
        (message: { body: string }) => message.body,
      );
    const before: string[] = await stored();
    expect(before.length).toBe(REQUESTS / 2);
    expect(new Set(before).size).toBe(REQUESTS / 2);

    for (let n = 0; n < REQUESTS; n++) {
      expect((await api.request('GET', '/api/v1/rooms/', { token })).status).toBe(200);
      expect((await post(clients[n] ?? api, randomUUID())).status).toBe(201);
    }
    const after: string[] = await stored();
    expect([after.length, new Set(after).size]).toEqual([REQUESTS * 1.5, REQUESTS * 1.5]);
  });

  it('without any server, a page can read that there is none', async () => {
    await servers()[0]?.end('SIGKILL');
    const ask = fetching();
    for (const [path, shape] of [
      ['/api/v1/messages/', 'detail'],
      ['/api/v1/public', 'error'],
      ['/api/v1/public/conversations/start?a=b', 'error'],
      ['/API/V1/Public/Conversations/Start', 'error'],
      ['/api/v1/publications/', 'detail'],
      ['/', 'detail'],
    ] as const) {
      for (const method of ['GET', 'POST']) {
        const answer = await ask({
          what: method,
          method,
          path,
          headers: { origin: 'https://lamps.example' },
        });
        const told = JSON.parse(answer.text);
        expect([method, path, told]).toEqual([method, path, { [shape]: 'No server has answered.' }]);
        expect([502, 503]).toContain(answer.status);
        expect(answer.headers).toMatchObject({
          'access-control-allow-origin': '*',
          'content-type': 'application/json',
          'retry-after': '5',
        });
      }
    }
  });
});
