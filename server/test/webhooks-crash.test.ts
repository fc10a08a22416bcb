import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { caller, owner } from './rest.ts';
import { type ServerProcess, serverSettings, startServerProcess } from './server-process.ts';
import { type Hit, type Receiver, sleep, startReceiver, until } from './webhooks-parts.ts';

/** How often a server is killed; more in the long run. */
const ROUNDS = Number(process.env.WEBHOOK_CRASH_ROUNDS ?? 3);

const SENDING = {
  LOG_LEVEL: 'error',
  RATE_LIMIT: 'off',
  WEBHOOK_RETRY_DELAYS: Array(30).fill('250ms').join(),
  WEBHOOK_TIMEOUT: '2s',
};

/** Every message that was asked for, and whether it was acknowledged. */
class Writers {
  readonly asked = new Set<string>();
  readonly acknowledged = new Map<string, string>();
  #isOn = true;

  /** Posts messages one after another until it is told to stop; a server that dies is simply not answered. */
  async write(server: () => ServerProcess, token: string, room: string): Promise<void> {
    while (this.#isOn) {
      const body = randomUUID();
      this.asked.add(body);
      try {
        const rest = caller(server().url, `Token ${token}`);
        const { status, json } = await rest('POST', '/api/v1/messages/', { body, room: { uuid: room } });
        if (status === 201) this.acknowledged.set(body, json.uuid);
      } catch {
        await sleep(20);
      }
    }
  }

  stop(): void {
    this.#isOn = false;
  }
}

/** What the subscribers got is what was acknowledged: each at least once, each under one id, nothing made up. */
const check = (receiver: Receiver, { asked, acknowledged }: Writers): { repeated: number } => {
  const hits = receiver.hits.filter(({ json }) => json.webhook.event === 'message.added');
  const byBody = new Map<string, Hit[]>();
  for (const hit of hits) byBody.set(hit.json.data.body, [...(byBody.get(hit.json.data.body) ?? []), hit]);
  for (const [body, uuid] of acknowledged) {
    const got = byBody.get(body) ?? [];
    expect([body, got.length > 0, got[0]?.json.data.uuid]).toEqual([body, true, uuid]);
  }
  for (const [body, got] of byBody) {
    expect([body, asked.has(body)]).toEqual([body, true]);
    const idsOf = (hit: Hit) => `${hit.headers['webhook-id']} ${hit.body}`;
    expect([body, new Set(got.map(idsOf)).size]).toEqual([body, 1]);
  }
  return { repeated: hits.length - byBody.size };
};

/** A subscriber that fails one time in five, so that retries are under way when the server dies. */
const startMoodyReceiver = (): Promise<Receiver> =>
  startReceiver(async (_, response) => {
    await sleep(Math.random() * 20);
    if (Math.random() < 0.2) response.writeHead(503).end();
  });

const allArrived = ({ hits }: Receiver, { acknowledged }: Writers) => {
  return until(
    () => {
      const got = new Set(hits.map(({ json }) => json.data.body));
      return [...acknowledged.keys()].every((body) => got.has(body));
    },
    'the arrival of all that was acknowledged',
    60_000,
  );
};

/** The log has nothing that waits any more. */
const allDecided = (rest: ReturnType<typeof caller>) =>
  until(
    async () => (await rest('GET', '/api/v1/deliveries/?state=pending&limit=1')).json.length === 0,
    'the end of all deliveries',
    60_000,
  );

describe('a server that is killed', { timeout: 60_000 + ROUNDS * 15_000 }, () => {
  test(`at a random moment, ${ROUNDS} times, loses nothing that it acknowledged`, async () => {
    const settings = { ...(await serverSettings()), ...SENDING };
    let server = await startServerProcess(settings);
    const receiver = await startMoodyReceiver();
    const { rest, token } = await owner(server.url);
    await rest('POST', '/api/v1/webhooks/', { event: 'message.added', target: receiver.url });
    const room = (await rest('POST', '/api/v1/rooms/', {})).json.uuid;

    const writers = new Writers();
    const writing = Array.from({ length: 8 }, () => writers.write(() => server, token, room));
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(Math.random() * 800);
      await server.end('SIGKILL');
      server = await startServerProcess(settings);
    }
    writers.stop();
    await Promise.all(writing);
    expect(writers.acknowledged.size).toBeGreaterThan(ROUNDS);
    await allArrived(receiver, writers);
    await allDecided(caller(server.url, `Token ${token}`));
    const { repeated } = check(receiver, writers);
    console.log(
      `${ROUNDS} kills: ${writers.acknowledged.size} acknowledged, all arrived; ` +
        `${receiver.hits.length} requests, ${repeated} of them retries or doubles`,
    );
  });

  test.runIf(inject('isRealMongodb'))(
    `beside another one on the same MongoDB, ${ROUNDS} times, loses nothing either`,
    async () => {
      const settings = { ...(await serverSettings()), ...SENDING };
      const servers = [await startServerProcess(settings), await startServerProcess(settings)];
      const receiver = await startMoodyReceiver();
      const at = (index: number) => servers[index % 2] as ServerProcess;
      const { rest, token } = await owner(at(0).url);
      await rest('POST', '/api/v1/webhooks/', { event: 'message.added', target: receiver.url });
      const room = (await rest('POST', '/api/v1/rooms/', {})).json.uuid;

      const writers = new Writers();
      const writing = Array.from({ length: 8 }, (_, index) => writers.write(() => at(index), token, room));
      for (let round = 0; round < ROUNDS; round++) {
        await sleep(Math.random() * 800);
        const victim = Math.random() < 0.5 ? 0 : 1;
        await at(victim).end('SIGKILL');
        servers[victim] = await startServerProcess(settings);
      }
      writers.stop();
      await Promise.all(writing);
      await allArrived(receiver, writers);
      await allDecided(caller(at(0).url, `Token ${token}`));
      const { repeated } = check(receiver, writers);
      console.log(
        `${ROUNDS} kills of one of two: ${writers.acknowledged.size} acknowledged, all arrived; ` +
          `${receiver.hits.length} requests, ${repeated} of them retries or doubles`,
      );
    },
  );
});
