import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { REALTIME_PATH } from '@parlor/shared';
import { describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { connect, openSocket, type RealtimeClient } from './realtime-client.ts';
import { beginConversation, isType, says, startConversation } from './realtime-parts.ts';
import { seeded } from './realtime-seeded.ts';
import { oneOwner, useServer } from './shared-server.ts';

/** How many random frames are sent; more of them by the environment. */
const FRAMES = Number(process.env.REALTIME_FRAMES ?? 1_000);

/** For all that needs no limit of one address, and looks at nobody's log. */
const unlimited = useServer();
const begin = () => beginConversation(unlimited());

/** For all that is limited as it is by itself. */
const limited = useServer({ RATE_LIMIT: 'on' });

/** The HTTP status that an upgrade was refused with, 101 when it was not. */
const statusOf = (url: string, headers: Record<string, string> = {}): Promise<number> => {
  const socket = new WebSocket(url.replace('http', 'ws') + REALTIME_PATH, { headers });
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
  });
};

/** A WebSocket that says and answers nothing by itself. */
const rawSocket = async (url: string, { allowHalfOpen = false } = {}): Promise<Socket> => {
  const socket = connectTcp({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen });
  socket.on('error', () => undefined);
  socket.write(
    `GET ${REALTIME_PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 101 /);
  socket.resume();
  return socket;
};

/** A frame of less than 126 bytes, masked by zeros. @param begin its first byte: FIN, reserved bits, opcode */
const shortFrame = (begin: number, text: string): Buffer =>
  Buffer.concat([Buffer.from([begin, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);

describe('the limits of one address', () => {
  const toThree = useServer({
    RATE_LIMIT: 'on',
    REALTIME_CONNECTIONS: '3',
    TRUST_PROXY: '1',
    PUBLIC_URL: 'http://127.0.0.1:1',
  });

  it('limits how many are open at once, and makes room when one goes', async () => {
    const { url, token } = await beginConversation(toThree());
    const open = [];
    for (let i = 0; i < 3; i++) open.push(await connect(url, { token }));
    expect(await statusOf(url)).toBe(429);
    await open[0]?.close();
    const isLetIn = () =>
      connect(url, { token }).then(
        () => true,
        () => false,
      );
    await expect.poll(isLetIn).toBe(true);
    expect(await statusOf(url)).toBe(429);
  });

  it('limits how many are open at once from a /48 of IPv6, whichever its networks, to 8 times as many', async () => {
    const { url, token } = await beginConversation(toThree());
    const from = (network: string) => ({ 'X-Forwarded-For': `${network}::1` });
    const open: RealtimeClient[] = [];
    for (let n = 1; n <= 24; n++) {
      const client = await openSocket(url, { headers: from(`2001:db8:1:${n}`) });
      client.send({ type: 'auth', scheme: 'Token', token });
      await client.find(isType('ready'));
      open.push(client);
    }
    expect(await statusOf(url, from('2001:db8:1:ff'))).toBe(429);
    expect(await statusOf(url, from('2001:db8:2:1'))).toBe(101);
    await open[0]?.close();
    // What was refused counts nowhere.
    await expect.poll(() => statusOf(url, from('2001:db8:1:ff'))).toBe(101);
    expect(await statusOf(url, from('2001:db8:1:fe'))).toBe(429);
  });

  it('limits how many are opened a minute', async () => {
    const { url, token } = await startConversation({ RATE_LIMIT: 'on', RATE_LIMIT_REALTIME: '5' });
    for (let i = 0; i < 5; i++) await (await connect(url, { token })).close();
    const answers = await Promise.all(Array.from({ length: 200 }, () => statusOf(url)));
    expect(new Set(answers)).toEqual(new Set([429]));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it.each(['ping', 'pong'] as const)('takes no more %ss of the protocol either', async (kind) => {
    const { url, token } = await beginConversation(limited());
    const client = await connect(url, { token });
    // The first frame said who it is, and the server may ask whether it is there.
    for (let i = 0; i < 27; i++) client.socket[kind]();
    await sleep(200);
    expect(client.socket.readyState).toBe(WebSocket.OPEN);
    // More than is ever taken: on a busy machine the ten seconds may begin anew meanwhile.
    for (let i = 0; i < 31; i++) client.socket[kind]();
    expect(await client.closed).toEqual({ code: 1008, reason: 'too many frames' });
  });

  it('cuts off at once who goes on, and waits for others to say goodbye', async () => {
    const { url, token } = await beginConversation(limited());
    const auth = { type: 'auth', scheme: 'Token', token };
    const ended: number[] = [];
    const flood = async (frames: number): Promise<void> => {
      const socket = await rawSocket(url);
      socket.write(shortFrame(0x81, JSON.stringify(auth)));
      socket.write(Buffer.concat(Array(frames).fill(shortFrame(0x8a, ''))));
      await once(socket, 'close');
      ended.push(frames);
    };
    await Promise.all([flood(40), flood(4_000)]);
    expect(ended).toEqual([4_000, 40]);
  });

  it('takes a message in 64 fragments, and no more of them', async () => {
    const { url, token } = await beginConversation(limited());
    const inFragments = (count: number): Buffer => {
      const [first, ...rest] = Array.from({ length: count - 1 }, () => ' ');
      const middle = rest.map((text) => shortFrame(0x00, text));
      return Buffer.concat([shortFrame(0x01, first ?? ''), ...middle, shortFrame(0x80, '{"type":"ping"}')]);
    };
    const socket = await rawSocket(url);
    let heard = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk]);
    });
    socket.write(shortFrame(0x81, JSON.stringify({ type: 'auth', scheme: 'Token', token })));
    socket.write(inFragments(64));
    await vi.waitFor(() => expect(heard.toString()).toContain('pong'), 20_000);
    socket.write(inFragments(65));
    // The close frame, with the code 1008.
    await vi.waitFor(() => expect(heard.subarray(-4).toString('hex')).toBe('880203f0'), 20_000);
  });

  it('takes 30 frames in ten seconds of one connection', async () => {
    const { url, token } = await beginConversation(limited());
    const client = await connect(url, { token });
    for (let i = 0; i < 29; i++) client.send({ type: 'ping' });
    await expect.poll(() => client.frames.filter(({ type }) => type === 'pong')).toHaveLength(29);
    for (let i = 0; i < 31; i++) client.send({ type: 'ping' });
    expect(await client.closed).toEqual({ code: 1008, reason: 'too many frames' });
  });
});

it('an account that asks much for what is unread leaves others their turns', async () => {
  const { url, token, visitor, rest } = await begin();
  const rooms = await Promise.all(
    Array.from({ length: 20 }, async () => (await rest('POST', '/api/v1/rooms/', {})).json.uuid as string),
  );
  const other = await oneOwner(url);
  const { uuid } = (await other.rest('POST', '/api/v1/rooms/', {})).json;
  const busy = await Promise.all(Array.from({ length: 40 }, () => connect(url, { token })));
  const patient = await connect(url, { token: other.token });
  const page = await connect(url, { visitor: (await visitor()).token });

  for (const client of busy) client.send({ type: 'unread', rooms });
  await Promise.race(busy.map((client) => client.find(isType('unread'))));
  patient.send({ type: 'unread', rooms: [uuid] });
  page.send({ type: 'unread' });
  await Promise.all([patient, page].map((client) => client.find(isType('unread'))));
  const answered = busy.filter(({ frames }) => frames.some(isType('unread')));
  expect(answered.length).toBeLessThan(busy.length / 2);
  for (const client of busy) expect((await client.find(isType('unread'))).data).toHaveLength(rooms.length);
});

describe('what is no frame of the channel', () => {
  it('closes with the right code, and troubles nobody else', async () => {
    const { url, token, visitor, server } = await startConversation();
    const ada = await visitor();
    const bystander = await connect(url, { token });
    const cases: [name: string, code: number, send: (socket: WebSocket) => void][] = [
      ['binary', 1008, (socket) => socket.send(Buffer.from('{"type":"ping"}'))],
      ['17 KiB', 1009, (socket) => socket.send('x'.repeat(17 * 1024))],
      ['16 MiB', 1009, (socket) => socket.send('x'.repeat(16 * 1024 * 1024))],
      ['nested', 1008, (socket) => socket.send('['.repeat(8_000) + ']'.repeat(8_000))],
      ['no JSON', 1008, (socket) => socket.send('{"type":"ping"')],
      ['not UTF-8', 1007, (socket) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false })],
      [
        'second auth',
        1008,
        (socket) => socket.send(JSON.stringify({ type: 'auth', scheme: 'Token', token })),
      ],
      ['wrong types', 1008, (socket) => socket.send('{"type":"typing","is_typing":"yes"}')],
    ];
    for (const [name, code, send] of cases) {
      const client = await connect(url, { visitor: ada.token });
      send(client.socket);
      expect([name, (await client.closed).code]).toEqual([name, code]);
    }
    await ada.say('All is well');
    await bystander.find(says('All is well'));
    // What somebody else sends is nobody's warning.
    const warnings = server
      .stderr()
      .split('\n')
      .filter((line) => /"level":(40|50|60)/.test(line));
    expect(warnings.filter((line) => !line.includes('WEBHOOK_ALLOW_PRIVATE'))).toEqual([]);
  });

  it('is cut off, though it goes on sending, as soon as what does not say goodbye', {
    timeout: 60_000,
  }, async () => {
    const { url, token } = await begin();
    const socket = await rawSocket(url, { allowHalfOpen: true });
    socket.write(shortFrame(0x81, JSON.stringify({ type: 'auth', scheme: 'Token', token })));
    await once(socket, 'data');
    const frame = shortFrame(0xf1, '');
    const goesOn = setInterval(() => socket.write(frame), 50);
    await vi.waitFor(() => expect(socket.destroyed).toBe(true), { timeout: 25_000, interval: 50 });
    clearInterval(goesOn);
  });

  it(`survives ${FRAMES} random frames`, async () => {
    const { url, token, visitor } = await begin();
    const ada = await visitor();
    await ada.say('Hello');
    const random = seeded(Number(process.env.REALTIME_SEED ?? 1));
    const values = [null, true, 1, -1e308, '', 'x', '\ud800', [], {}, token, ada.token, ada.room.uuid];
    const any = (): unknown => values[Math.floor(random() * values.length)];
    const names = ['type', 'scheme', 'token', 'rooms', 'after', 'room', 'is_typing', 'message', '__proto__'];
    const types = ['auth', 'typing', 'read', 'ping', 'ready', 'message.added', 'nonsense'];
    const frame = (): string | Buffer => {
      if (random() < 0.1) return Buffer.from(Array.from({ length: 20 }, () => Math.floor(random() * 256)));
      const object: Record<string, unknown> = { type: types[Math.floor(random() * types.length)] };
      for (const name of names) if (random() < 0.3) object[name] = any();
      const text = JSON.stringify(object);
      return random() < 0.2 ? text.slice(0, Math.floor(random() * text.length)) : text;
    };
    let client: RealtimeClient = await connect(url, { visitor: ada.token });
    const codes = new Set<number>();
    for (let i = 0; i < FRAMES; i++) {
      if (client.socket.readyState !== WebSocket.OPEN) {
        codes.add((await client.closed).code);
        client = random() < 0.8 ? await connect(url, { visitor: ada.token }) : await openSocket(url);
      }
      client.socket.send(frame());
      if (random() < 0.5) await sleep(0);
    }
    client.socket.terminate();
    for (const code of codes) expect([1006, 1007, 1008, 4401]).toContain(code);
    const after = await connect(url, { visitor: ada.token });
    await ada.say('Still there');
    await after.find(says('Still there'));
  });
});
