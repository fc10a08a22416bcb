import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEntry } from '@parlor/shared';
import { expect, it } from 'vitest';
import { caller, owner } from './rest.ts';
import { type ServerProcess, serverSettings, sharedSettings, startServerProcess } from './server-process.ts';

/** The long form: AUDIT_KILL_ROUNDS=50. */
const ROUNDS = Number(process.env.AUDIT_KILL_ROUNDS ?? 4);

type Rest = ReturnType<typeof caller>;

/** What an entry of a change is known by: its action, its object, and the value that it was given. */
const keyOf = ({ action, object, changes }: AuditEntry): string =>
  `${action} ${action === 'changeWidget' ? changes[0]?.to : object.uuid}`;

/** How often each change stands in the trail. */
const counted = async (rest: Rest): Promise<Map<string, number>> => {
  const counts = new Map<string, number>();
  for (const action of [
    'createKeyword',
    'deleteKeyword',
    'createToken',
    'deleteToken',
    'changeWidget',
    'inviteMember',
    'removeMember',
  ]) {
    const { json } = await rest('GET', `/api/v1/audit/?limit=1000&action=${action}`);
    for (const entry of json as AuditEntry[]) counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1);
  }
  return counts;
};

/** Changes one thing after another, and remembers what was acknowledged; a server that dies is not answered. */
const change = async (rest: () => Rest, widget: string, acknowledged: Set<string>, isOn: () => boolean) => {
  const ask = async (action: string, method: string, path: string, body?: object): Promise<string> => {
    const { status, json } = await rest()(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status}`);
    const uuid =
      action.startsWith('create') || action.startsWith('invite') ? json.uuid : path.split('/').at(-2);
    acknowledged.add(`${action} ${action === 'changeWidget' ? json.name : uuid}`);
    return uuid;
  };
  const steps = [
    async () => {
      const uuid = await ask('createKeyword', 'POST', '/api/v1/keywords/', {
        keyword: `word ${randomUUID()}`,
      });
      await ask('deleteKeyword', 'DELETE', `/api/v1/keywords/${uuid}/`);
    },
    async () => {
      const uuid = await ask('createToken', 'POST', '/api/v1/tokens/', { name: 'A', scopes: ['leads:read'] });
      await ask('deleteToken', 'DELETE', `/api/v1/tokens/${uuid}/`);
    },
    () => ask('changeWidget', 'PATCH', `/api/v1/widgets/${widget}/`, { name: randomUUID() }),
    async () => {
      const email = `${randomUUID().slice(0, 8)}@example.com`;
      const uuid = await ask('inviteMember', 'POST', '/api/v1/members/', { email });
      await ask('removeMember', 'DELETE', `/api/v1/members/${uuid}/`);
    },
  ];
  for (let n = Math.floor(Math.random() * steps.length); isOn(); n++) {
    await steps[n % steps.length]?.().catch(() => sleep(20));
  }
};

it(`has each acknowledged change once when the process is killed, ${ROUNDS} times`, async () => {
  const settings = { ...(await serverSettings()), RATE_LIMIT: 'off' };
  let server: ServerProcess = await startServerProcess(settings);
  const { token, widget } = await owner(server.url);
  const rest = () => caller(server.url, `Token ${token}`);
  const acknowledged = new Set<string>();
  let isOn = true;
  const writers = Array.from({ length: 4 }, () => change(rest, widget, acknowledged, () => isOn));
  for (let round = 0; round < ROUNDS; round++) {
    const before = acknowledged.size;
    await expect.poll(() => acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(before);
    await sleep(Math.random() * 400);
    await server.end('SIGKILL');
    server = await startServerProcess(settings);
  }
  isOn = false;
  await Promise.all(writers);
  expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS);
  const missing = async () => {
    const counts = await counted(rest());
    return [...acknowledged].filter((key) => !counts.has(key));
  };
  await expect.poll(missing, { timeout: 60_000 }).toEqual([]);
  const twice = [...(await counted(rest()))].filter(([, count]) => count !== 1);
  expect(twice).toEqual([]);
}, 600_000);

it('has one entry of what two processes do at once', { timeout: 120_000 }, async () => {
  const settings = { ...(await sharedSettings()), RATE_LIMIT: 'off' };
  const [one, two] = await Promise.all([startServerProcess(settings), startServerProcess(settings)]);
  const { token, rest } = await owner(one.url);
  const both = [rest, caller(two.url, `Token ${token}`)] as const;
  const keywords: string[] = [];
  for (let n = 0; n < 10; n++) {
    const { uuid } = (await rest('POST', '/api/v1/keywords/', { keyword: `word ${n}` })).json;
    keywords.push(uuid);
    const answers = await Promise.all(both.map((call) => call('DELETE', `/api/v1/keywords/${uuid}/`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
  }
  const wanted = keywords.flatMap((uuid) => [`createKeyword ${uuid}`, `deleteKeyword ${uuid}`]).sort();
  await expect
    .poll(async () => [...(await counted(both[1])).keys()].sort(), { timeout: 60_000 })
    .toEqual(wanted);
  // Also what the one that lost has left is settled by now, or never counts.
  await sleep(3_000);
  expect([...(await counted(rest)).values()].every((count) => count === 1)).toBe(true);
});
