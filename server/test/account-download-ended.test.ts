import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { owner } from './rest.ts';
import { serverSettings, startServerProcess } from './server-process.ts';

/** More than sockets hold of what nobody reads. */
const MESSAGES = 800;
const CHARACTERS = 10_000;

/** Far longer than it takes, on a busy machine. */
const PATIENCE_MS = 20_000;

const download = async (url: string, headers: Record<string, string>): Promise<IncomingMessage> => {
  const [response] = await once(get(`${url}/api/v1/account/export/`, { headers, agent: false }), 'response');
  return response;
};

/** What comes of it until it ends, or is broken off. */
const rest = async (response: IncomingMessage): Promise<string> => {
  let text = '';
  try {
    for await (const piece of response) text += piece;
  } catch {
    return `${text} broken off`;
  }
  return text;
};

it('a download of the account ends with the session that asked for it, and leaves its place to others', async () => {
  const { url } = await startServerProcess({ ...(await serverSettings()), RATE_LIMIT: 'off' });
  const { token, rest: call } = await owner(url, 'ada');
  const room = (await call('POST', '/api/v1/rooms/', {})).json;
  const say = async () => {
    const message = { body: 'x'.repeat(CHARACTERS), room: { uuid: room.uuid } };
    expect((await call('POST', '/api/v1/messages/', message)).status).toBe(201);
  };
  for (let sent = 0; sent < MESSAGES; sent += 20) await Promise.all(Array.from({ length: 20 }, say));

  const login = { username: 'ada', password: 'a long enough secret' };
  const signedIn = await fetch(`${url}/api/v1/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const taken = await download(url, { cookie });
  expect(taken.statusCode).toBe(200);
  const [session] = (await call('GET', '/api/v1/auth/sessions/')).json;
  expect((await call('DELETE', `/api/v1/auth/sessions/${session.uuid}/`)).status).toBe(204);
  let whole = await download(url, { authorization: `Token ${token}` });
  for (const end = Date.now() + PATIENCE_MS; whole.statusCode === 429 && Date.now() < end; await sleep(200))
    whole = await download(url, { authorization: `Token ${token}` });
  expect(whole.statusCode).toBe(200);
  const text = await rest(taken);
  expect([text.endsWith(' broken off'), text.includes('{"account":')]).toEqual([true, false]);
  expect(await rest(whole)).toContain('\n{"account":');
}, 120_000);
