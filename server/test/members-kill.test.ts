import mongoose from 'mongoose';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type FaultPoint, startDoomedServer } from './fault-points.ts';
import { PATIENCE } from './mailed-account.ts';
import { PASSWORD } from './members.ts';
import { caller } from './rest.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';
import { afterThem, oneOwner } from './shared-server.ts';

/**
 * What changes who is a member, killed before and after each write on its way: everybody is in one place and can do
 * all that a member can or nothing, and asking again does the rest.
 */

type Rest = ReturnType<typeof caller>;
type Write = FaultPoint['dieAt'] & { nth?: number };

const pointsOf = (writes: Record<string, Omit<Write, 'when'>>): [name: string, write: Write][] =>
  Object.entries(writes).flatMap(([name, write]) =>
    (['before', 'after'] as const).map((when): [string, Write] => [`${when} ${name}`, { ...write, when }]),
  );

const join = async (url: string, rest: Rest, username: string, role: string) => {
  const invited = await rest('POST', '/api/v1/members/', { email: `${username}@example.com`, role });
  const token = invited.json.invite_url.split('#token=')[1];
  const accepted = { token, username, password: PASSWORD, password2: PASSWORD };
  const { json } = await caller(url)('POST', '/api/v1/auth/accept-invitation', accepted);
  return json.uuid as string;
};

const signIn = (url: string, username: string) =>
  caller(url)('POST', '/api/v1/auth/api-token', { username, password: PASSWORD });

/** What was killed before is finished by whichever process finds it: a doomed one that did it would die of that. */
const nothingIsLeft = async (): Promise<void> => {
  const connection = await mongoose.createConnection(settings.MONGODB_URL ?? '').asPromise();
  await vi.waitFor(async () => {
    for (const name of ['accounts', 'members', 'tombstones']) {
      const waiting = { 'events.0': { $exists: true } };
      expect([name, await connection.collection(name).countDocuments(waiting)]).toEqual([name, 0]);
    }
  }, PATIENCE);
  await connection.close();
};

/** A server that lives, for all tests; others die beside it. */
let settings: Record<string, string>;
let url = '';
const atEnd = afterThem();
beforeAll(async () => {
  settings = { ...(await sharedSettings(atEnd)), RATE_LIMIT: 'off' };
  ({ url } = await startServerProcess(settings, undefined, atEnd));
});

/** An account that Ada has founded and Grace owns, too. */
const start = async () => {
  const { rest: adas, username } = await oneOwner(url);
  const second = username.replace('ada', 'grace');
  const grace = await join(url, adas, second, 'owner');
  const { token } = (await signIn(url, second)).json;
  /** Asks as Grace, at any of the servers. */
  const asGrace = (at: string) => caller(at, `Token ${token}`);
  const graces = asGrace(url);
  const { uuid: ada } = (await adas('GET', '/api/v1/members/me/')).json;
  const program = await adas('POST', '/api/v1/tokens/', { name: 'Desk', scopes: ['members:read'] });
  const desk = caller(url, `Token ${program.json.token}`);

  /** Asks a process that dies at a point; the leases that it leaves run out. */
  const askDoomed = async (write: Write, ask: (url: string) => Promise<unknown>): Promise<void> => {
    const { nth, ...dieAt } = write;
    const doomed = await startDoomedServer(settings, { name: '', dieAt }, nth);
    await expect(ask(doomed.url)).rejects.toThrow('fetch failed');
    await doomed.ended;
    const connection = await mongoose.createConnection(settings.MONGODB_URL ?? '').asPromise();
    await connection.collection('registrationclaims').updateMany({}, { $set: { expires_at: new Date(0) } });
    await connection.close();
  };

  /** Everybody by uuid and role, as a member sees it; nobody stands there twice. */
  const people = async (rest = graces): Promise<Record<string, string>> => {
    const { json } = await rest('GET', '/api/v1/members/');
    const roles = Object.fromEntries(json.map((one: { uuid: string; role: string }) => [one.uuid, one.role]));
    expect(Object.keys(roles)).toHaveLength(json.length);
    return roles;
  };

  /** How often the trail tells of it, once all is told. */
  const told = (action: string, object: string) =>
    vi.waitFor(async () => {
      const { json } = await graces('GET', `/api/v1/audit/?action=${action}`);
      const entries = json.filter((entry: { object: { uuid: string } }) => entry.object.uuid === object);
      if (entries.length === 0) throw new Error('nothing is told');
      return entries.length;
    }, PATIENCE);

  const statusOf = async (rest: Rest) => (await rest('GET', '/api/v1/members/me/')).status;
  const isIn = async () => [await statusOf(adas), await statusOf(desk), (await signIn(url, username)).status];
  return { username, adas, asGrace, graces, ada, grace, askDoomed, people, told, isIn };
};

const IN = [200, 200, 200];
const OUT = [401, 401, 400];

describe('the founding member is removed', () => {
  const writes = {
    'another owner takes its place': { collection: 'accounts', method: 'updateOne' },
    'that one leaves its old place': { collection: 'members', method: 'deleteOne' },
    'its sessions end': { collection: 'membersessions', method: 'deleteMany' },
    'its tokens are deleted': { collection: 'programtokens', method: 'deleteMany' },
  };
  it.each(pointsOf(writes))('%s', async (name, write) => {
    const { ada, grace, asGrace, graces, askDoomed, people, told, isIn } = await start();
    await nothingIsLeft();
    await askDoomed(write, (url) => asGrace(url)('DELETE', `/api/v1/members/${ada}/`));
    const isOut = name !== 'before another owner takes its place';
    expect(await isIn()).toEqual(isOut ? OUT : IN);
    expect(await people()).toEqual(isOut ? { [grace]: 'owner' } : { [grace]: 'owner', [ada]: 'owner' });
    const { status } = await graces('DELETE', `/api/v1/members/${ada}/`);
    expect(status).toBe(isOut ? 404 : 204);
    expect(await isIn()).toEqual(OUT);
    expect(await people()).toEqual({ [grace]: 'owner' });
    expect(await told('removeMember', ada)).toBe(1);
    // The one who is left is an owner with all that it had.
    expect((await graces('PATCH', `/api/v1/members/${grace}/`, { name: 'G' })).json.name).toBe('G');
  });
});

describe('the founding member becomes an admin', () => {
  const writes = {
    'it stands among the others': { collection: 'members', method: 'updateOne' },
    'another owner takes its place': { collection: 'accounts', method: 'updateOne' },
    'that one leaves its old place': { collection: 'members', method: 'deleteOne' },
  };
  it.each(pointsOf(writes))('%s', async (name, write) => {
    const { ada, grace, adas, asGrace, graces, askDoomed, people, told, isIn } = await start();
    const body = { role: 'admin' };
    await askDoomed(write, (url) => asGrace(url)('PATCH', `/api/v1/members/${ada}/`, body));
    const isDone = /after another|that one/.test(name);
    for (const rest of [graces, adas]) {
      expect(await people(rest)).toEqual({ [grace]: 'owner', [ada]: isDone ? 'admin' : 'owner' });
    }
    expect(await isIn()).toEqual(IN);
    expect((await graces('PATCH', `/api/v1/members/${ada}/`, body)).json.role).toBe('admin');
    expect(await people()).toEqual({ [grace]: 'owner', [ada]: 'admin' });
    expect(await isIn()).toEqual(IN);
    expect(await told('changeMember', ada)).toBe(1);
    // A new token is the only one, wherever its owner stands.
    expect((await graces('PATCH', `/api/v1/members/${ada}/`, { role: 'owner' })).json.role).toBe('owner');
    expect((await adas('DELETE', `/api/v1/members/${grace}/`)).status).toBe(204);
    expect(await people(adas)).toEqual({ [ada]: 'owner' });
  });
});

describe('an invitation is accepted', () => {
  const claims = { collection: 'registrationclaims', method: 'updateOne' };
  const writes = {
    'its name is claimed': claims,
    'its address is claimed': { ...claims, nth: 2 },
    'the member is made': { collection: 'members', method: 'updateOne' },
    'its address is given back': { collection: 'registrationclaims', method: 'deleteOne' },
  };
  it.each(pointsOf(writes))('%s', async (name, write) => {
    const { username: founder, graces, askDoomed, people, told } = await start();
    const username = founder.replace('ada', 'hedy');
    const invited = await graces('POST', '/api/v1/members/', { email: `${username}@example.com` });
    const { uuid, invite_url } = invited.json;
    const body = {
      token: invite_url.split('#token=')[1],
      username,
      password: PASSWORD,
      password2: PASSWORD,
    };
    const accept = (at: string) => caller(at)('POST', '/api/v1/auth/accept-invitation', body);
    await askDoomed(write, accept);
    const isIn = name === 'after the member is made' || name.endsWith('given back');
    const { json } = await graces('GET', `/api/v1/members/${uuid}/`);
    expect(json.username).toBe(isIn ? username : null);
    expect((await signIn(url, username)).status).toBe(isIn ? 200 : 400);
    const again = await accept(url);
    expect(again.status).toBe(isIn ? 400 : 201);
    expect((await signIn(url, username)).status).toBe(200);
    expect((await people())[uuid]).toBe('operator');
    expect(await told('acceptInvitation', uuid)).toBe(1);
  });
});
