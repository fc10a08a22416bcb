import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import { type Fixtures, makeFixtures } from '../../../test/fixtures.ts';
import { testMembers } from '../../../test/members.ts';
import { changed, type Line, movedAccounts } from '../../../test/moved-accounts.ts';
import { png } from '../../../test/pictures.ts';
import { goneAccount } from './account-data.ts';
import { importAccount } from './account-import.ts';
import { wholeAccountLease } from './account-leases.ts';
import type { ImportCaller } from './import-caller.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });
const { member } = testMembers(app);

const { accountOf, each, exported, moved, read } = movedAccounts(app);

describe('an import', () => {
  it('brings the pictures of members along, at the same addresses', async () => {
    const { fixtures, lines } = await moved();
    const path = `/api/v1/avatars/${fixtures.ids.avatars}`;
    expect((await app.request('GET', path)).status).toBe(404);
    await read(lines);
    const picture = await app.request('GET', path);
    expect([picture.status, picture.headers['content-length']]).toEqual([200, String(png().length)]);
  });

  /** An account of this server, of which nothing may be read or changed. */
  let kept: Fixtures;
  let keptId = '';
  let widget = '';

  beforeAll(async () => {
    kept = await makeFixtures(app);
    keptId = (await accountOf(kept.username))._id;
    const widgets = await app.request('GET', '/api/v1/widgets/', { token: kept.token });
    widget = widgets.json[0].uuid;
  });

  it('adds nothing to an account that is here', async () => {
    const fixtures = await makeFixtures(app);
    const lines = await exported(fixtures.username);
    const path = `/api/v1/rooms/${fixtures.room.label}/`;
    expect((await app.request('DELETE', path, { token: fixtures.token })).status).toBe(204);
    await expect(read(lines)).rejects.toThrow('the account is here already');
    const listed = await app.request('GET', '/api/v1/rooms/', { token: fixtures.token });
    expect(listed.json.map(({ uuid }: { uuid: string }) => uuid)).not.toContain(fixtures.room.uuid);
    expect((await app.request('GET', path, { token: fixtures.token })).status).toBe(404);
  });

  it('lets nobody into another account by a file that says to be its own', async () => {
    const { lines } = await moved();
    const owner = lines.find(({ members }) => members?.username)?.members;
    const file = [
      lines[0] as Line,
      { members: { ...owner, _id: randomUUID(), account: keptId, role: 'owner' } },
      { account: { ...lines.at(-1)?.account, _id: keptId } },
    ];
    await expect(read(file)).rejects.toThrow('the account is here already');
    const { json } = await app.request('GET', '/api/v1/members/', { token: kept.token });
    expect(json.filter((one: { username: string | null }) => one.username === owner.username)).toEqual([]);
  });

  it('takes no file with something of another account', async () => {
    const { fixtures, id, lines } = await moved();
    const withTags = [...lines.slice(0, -1), { tagNames: { _id: id, names: ['a'] } }, lines.at(-1) as Line];
    const foreign: [string, string, (document: any) => void, ((document: any) => boolean)?][] = [
      [
        'a member who would see its visitors',
        'members',
        (one) => (one.widgets = [widget]),
        (one) => one.widgets,
      ],
      ['a room of its widget', 'rooms', (one) => (one.widget = widget)],
      ['a message in its room', 'messages', (one) => (one.room = kept.room.uuid)],
      ['a note in its room', 'notes', (one) => (one.room = kept.room.uuid)],
      ['a lead in its room', 'leads', (one) => (one.room = kept.visitor.room.uuid)],
      ['a visitor of its widget', 'sessions', (one) => (one.widget = widget)],
      ['a bot of its rooms', 'workflows', (one) => (one.room_bot_of = keptId)],
      ['a version of its workflow', 'graphs', (one) => (one.workflow = kept.ids.workflows)],
      ['a delivery of its webhook', 'deliveries', (one) => (one.queue = kept.ids.webhooks)],
      ['tags of it', 'tagNames', (one) => (one._id = keptId)],
      ['an object that it has', 'leads', (one) => (one._id = kept.ids.leads)],
      [
        'an answer of a bot that is still to be published',
        'rooms',
        (one) =>
          (one.bot.pending = {
            turn: randomUUID(),
            at: { $date: new Date(0) },
            leads: [],
            messages: [
              {
                _id: randomUUID(),
                account: keptId,
                room: one._id,
                body: 'a',
                sent_at: { $date: new Date() },
              },
            ],
          }),
        (one) => one.bot,
      ],
    ];
    const isHere = async () =>
      (await app.request('GET', '/api/v1/rooms/', { token: fixtures.token })).status === 200;
    for (const [what, kind, change, fits] of foreign) {
      const file = changed(withTags, kind, change, fits);
      await expect(read(file), what).rejects.toThrow(/another account/);
      expect([what, await isHere()]).toEqual([what, false]);
    }
    // As it was written, it is taken.
    expect(await read(withTags)).toBe(fixtures.username);
    expect(await isHere()).toBe(true);
  });

  it('takes no file with what would hold up others', async () => {
    const { fixtures, lines } = await moved();
    const refused = /an object (without a proper|with a field of another type: )/;
    const harmful: [string, string, (document: any) => void][] = [
      ['a room without its time', 'rooms', (one) => delete one.created_at],
      ['a message with none', 'messages', (one) => (one.sent_at = null)],
      ['a lead of no certain time', 'leads', (one) => (one.created_at = 'soon')],
      ['a delivery without its attempts', 'deliveries', (one) => (one.attempts = null)],
      ['a visitor on no page', 'sessions', (one) => (one.page = 'x')],
    ];
    for (const [what, kind, change] of harmful)
      await expect(read(changed(lines, kind, change)), what).rejects.toThrow(refused);
    expect(await read(lines)).toBe(fixtures.username);
  });

  it('leaves nothing of a file that is refused, and lets nobody in before all of one is there', async () => {
    const { fixtures, id, lines, operator } = await moved();
    const isLetIn = async () => {
      const widget = await app.request('GET', `/api/v1/widgets/?token=${fixtures.ids.widgets}`);
      const own = await app.request('GET', '/api/v1/rooms/', { token: operator });
      return [widget.status, own.status];
    };
    let statuses: number[] = [];
    async function* watched() {
      yield* each(lines.slice(0, -1));
      statuses = await isLetIn();
      yield '{"planets":{"_id":"x"}}';
    }
    await expect(importAccount(app.services, watched())).rejects.toThrow(/unknown kind "planets"/);
    expect(statuses).toEqual([404, 401]);
    // What waited of the account before it moved away is announced within moments.
    const left = async () =>
      (await documentsWith(app.services, id)).filter((one) => !one.startsWith('accounts '));
    await expect.poll(left).toEqual([]);
    await app.services.accountDeletion.finish(id);
    expect(await documentsWith(app.services, id)).toEqual([]);
    expect(await read(lines)).toBe(fixtures.username);
    expect(await isLetIn()).toEqual([200, 200]);
  });

  it('goes on after a process that died in one, and after that of a refusal', async () => {
    const { fixtures, id, lines } = await moved();
    const broken = async function* () {
      yield* each(lines.slice(0, -1));
      throw new Error('the other side has gone');
    };
    await expect(importAccount(app.services, broken())).rejects.toThrow('the other side has gone');
    expect((await documentsWith(app.services, id)).length).toBeGreaterThan(0);
    // It wrote down that nothing is to stay, and died.
    await app.services.models.accounts.insertOne(goneAccount(id) as never);
    await app.services.accountDeletion.resume();
    await app.services.accountDeletion.finish(id);
    // What waited of the account before it moved away is announced within moments.
    await expect.poll(() => documentsWith(app.services, id)).toEqual([]);
    expect(await read(lines)).toBe(fixtures.username);
  });

  it('can be stopped while it clears away what another one has left, and while it waits for that one', async () => {
    const { id, lines } = await moved();
    const { messages } = app.services.models;
    const left = { account: id, room: randomUUID(), body: 'Hi' };
    const many = Array.from({ length: 1_200 }, () => ({ ...left, _id: randomUUID(), sent_at: new Date() }));
    await messages.collection.insertMany(many as never);
    const stopping = new AbortController();
    const stop = () => stopping.abort(new Error('the server stops'));
    const progress = (state: string) => {
      if (state === 'clearing away messages') stop();
      stopping.signal.throwIfAborted();
    };
    const begin = (told: ImportCaller) => importAccount(app.services, each(lines), told);
    await expect(begin({ progress, stopped: stopping.signal })).rejects.toThrow('the server stops');
    expect(await messages.countDocuments({ account: id })).toBeGreaterThan(1_000);
    const other = await app.services.leases.keep(wholeAccountLease(id));
    const waiting = { progress: () => undefined, stopped: AbortSignal.timeout(50) };
    await expect(begin(waiting)).rejects.toThrow('aborted due to timeout');
    await other.giveBack();
    await read(lines);
    expect(await messages.countDocuments({ room: left.room })).toBe(0);
  });

  it('can be stopped while it takes back what is refused, which is gone on with', async () => {
    const { id, lines } = await moved();
    const stopping = new AbortController();
    async function* refused() {
      yield* each(lines.slice(0, -1));
      stopping.abort(new Error('the server stops'));
      yield '{"planets":{"_id":"x"}}';
    }
    const { signal: stopped } = stopping;
    const told = { progress: () => stopped.throwIfAborted(), stopped };
    await expect(importAccount(app.services, refused(), told)).rejects.toThrow('the server stops');
    expect((await documentsWith(app.services, id)).length).toBeGreaterThan(1);
    await app.services.accountDeletion.resume();
    await app.services.accountDeletion.finish(id);
    await expect.poll(() => documentsWith(app.services, id)).toEqual([]);
  });

  it('is not said to be undone where the reply to its last write is lost', async () => {
    const { fixtures, lines } = await moved();
    const { accounts } = app.services.models;
    const insert = accounts.insertOne.bind(accounts) as (...given: unknown[]) => Promise<unknown>;
    const lost = vi.spyOn(accounts, 'insertOne').mockImplementationOnce((async (...given: unknown[]) => {
      await insert(...given);
      throw Object.assign(new Error('connection 7 closed'), { name: 'MongoNetworkError' });
    }) as never);
    await expect(read(lines)).rejects.toThrow(/^connection 7 closed$/);
    lost.mockRestore();
    expect((await app.request('GET', '/api/v1/rooms/', { token: fixtures.token })).status).toBe(200);
    await expect(read(lines)).rejects.toThrow('the account is here already');
  });

  it('is done once where two are begun at once, or by the next one', async () => {
    const { fixtures, lines } = await moved();
    const ends = await Promise.allSettled([read(lines), read(lines)]);
    for (const end of ends) {
      if (end.status === 'fulfilled') expect(end.value).toBe(fixtures.username);
      else
        expect(String(end.reason)).toMatch(
          /^ImportError: .*(another import at the same time|is here already)/,
        );
    }
    if (ends.every(({ status }) => status === 'rejected')) await read(lines);
    const listed = await app.request('GET', '/api/v1/messages/', { token: fixtures.token });
    const known = lines.flatMap(({ messages }) => messages?._id ?? []);
    expect(listed.json.map(({ uuid }: { uuid: string }) => uuid).sort()).toEqual(known.sort());
  });

  it('takes no object whose token or label another one has', async () => {
    const { lines } = await moved();
    const withToken = changed(lines, 'widgets', (one) => (one.token = kept.ids.widgets));
    await expect(read(withToken)).rejects.toThrow('another object with this token is here already');
    const labels = lines.flatMap(({ rooms }) => rooms?.label ?? []);
    const twice = changed(lines, 'rooms', (one) => (one.label = labels[1]));
    await expect(read(twice)).rejects.toThrow('another object with this label is here already');
  });

  it('takes no file with objects without what they belong to', async () => {
    const { fixtures, lines } = await moved();
    const owners = { room: 'rooms', widget: 'widgets', workflow: 'workflows' };
    for (const [kind, name] of Object.entries(owners)) {
      const file = lines.filter((line) => line[name] === undefined);
      await expect(read(file)).rejects.toThrow(
        new RegExp(`^line \\d+: an object of the ${kind} \\S{36}, which is neither in the file nor here$`),
      );
    }
    // In another order all of it is there.
    const isOwner = (line: Line) => Object.values(owners).some((name) => line[name] !== undefined);
    const others = lines.slice(0, -1).filter((line) => !isOwner(line));
    expect(await read([...others, ...lines.filter(isOwner), ...lines.slice(-1)])).toBe(fixtures.username);
  });

  it('announces nothing that a file says to have happened', async () => {
    const { lines } = await moved();
    const mark = randomUUID();
    const events = [
      { id: randomUUID(), name: 'message.added', account: keptId, at: new Date(), data: { mark } },
    ];
    await read(changed(lines, 'messages', (one) => (one.events = events)));
    expect(await documentsWith(app.services, mark)).toEqual([]);
  });

  it('takes nobody whose name or address somebody else has here, in whichever role', async () => {
    const { lines, fixtures } = await moved();
    const { token } = kept;
    const operator = await member(token, 'operator', {});
    const own = (await app.request('GET', '/api/v1/members/me/', { token: operator.token })).json;
    const mine = (await app.request('GET', '/api/v1/members/me/', { token })).json;
    const account = (more: object) => (one: any) => Object.assign(one, more);
    const isActive = (one: any) => one.username !== undefined;
    for (const [kind, more] of [
      ['members', { username: mine.username }],
      ['members', { email: mine.email.toUpperCase() }],
      ['account', { username: own.username.toUpperCase() }],
      ['account', { email: own.email }],
    ] as const) {
      const file = changed(lines, kind, account(more), isActive);
      await expect(read(file)).rejects.toThrow(/with this (username|email) is here already/);
    }
    expect(await read(lines)).toBe(fixtures.username);
    const { json } = await app.request('GET', '/api/v1/members/me/', { token: operator.token });
    expect(json).toEqual({ ...own, seen_at: json.seen_at });
  });
});
