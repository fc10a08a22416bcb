import { MAX_AVATAR_BYTES } from '@parlor/shared';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../../../test/app.ts';
import { settled } from '../../../../test/audit.ts';
import { testMembers } from '../../../../test/members.ts';
import { EXIF_TEXTS, JPEG, png, WEBP } from '../../../../test/pictures.ts';

const PUBLIC_URL = 'https://chat.example.com';
const app = testApp({ PUBLIC_URL, REGISTRATION: 'open' });
const { me, member } = testMembers(app);

const OWN = '/api/v1/members/me/avatar/';
const put = (token: string, body: unknown, headers: Record<string, string> = {}) =>
  app.request('PUT', OWN, { token, body, headers });
const pathOf = (avatar: string): string => avatar.slice(PUBLIC_URL.length);
const read = (avatar: string, headers: Record<string, string> = {}) =>
  app.request('GET', pathOf(avatar), { headers });
const stored = (account: string) => app.services.models.avatars.countDocuments({ account });

describe('a member’s picture', () => {
  it('is at an address of this server that everybody may read, and that nobody guesses', async () => {
    const { token } = await app.account();
    expect((await me(token)).json.avatar).toBeNull();
    const set = await put(token, png());
    expect([set.status, set.headers.etag]).toEqual([200, expect.any(String)]);
    const { avatar } = set.json;
    expect(avatar).toMatch(/^https:\/\/chat\.example\.com\/api\/v1\/avatars\/[\w-]{43}$/);
    expect((await me(token)).json).toEqual(set.json);
    const picture = await read(avatar);
    expect([picture.status, picture.headers]).toMatchObject([
      200,
      {
        'content-type': 'image/png',
        'content-length': String(png().length),
        'cache-control': 'public, max-age=86400, immutable',
        'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        etag: expect.stringMatching(/^"[\w-]{43}"$/),
      },
    ]);
    expect(picture.headers).not.toHaveProperty('set-cookie');
    const known = { 'if-none-match': picture.headers.etag ?? '' };
    expect([(await read(avatar, known)).status, (await read(avatar, known)).text]).toEqual([304, '']);
    const head = await app.request('HEAD', pathOf(avatar));
    expect([head.status, head.headers['content-length'], head.text]).toEqual([
      200,
      picture.headers['content-length'],
      '',
    ]);
    for (const key of ['x', 'x'.repeat(43), '%00', `${avatar.slice(-43)}x`]) {
      expect((await app.request('GET', `/api/v1/avatars/${key}`)).status).toBe(404);
    }
  });

  it('stands in every answer with a Member, and in no read of members are its bytes', async () => {
    const { token } = await app.account();
    const grace = await member(token, 'operator');
    const { avatar } = (await put(grace.token, WEBP, { 'content-type': 'image/webp' })).json;
    const body = { username: grace.username, password: 'a long enough secret' };
    const headers = { origin: PUBLIC_URL };
    const signedIn = await app.request('POST', '/api/v1/auth/session', { body, headers });
    const cookie = String(signedIn.headers['set-cookie']).split(';', 1)[0] ?? '';
    const inBrowser = await app.request('GET', '/api/v1/auth/session', { headers: { cookie } });
    const list = await app.request('GET', '/api/v1/members/', { token });
    const one = await app.request('GET', `/api/v1/members/${grace.uuid}/`, { token });
    for (const json of [signedIn.json, inBrowser.json, list.json[0], one.json])
      expect(json).toMatchObject({ uuid: grace.uuid, avatar });
    expect(list.json[1]).toMatchObject({ avatar: null });
    const { members } = app.services.models;
    expect(JSON.stringify(await members.findOne({ _id: grace.uuid }).lean())).not.toContain('WEBP');
  });

  it('is what its bytes are, whatever it is called, and holds nothing that a camera wrote', async () => {
    const { token } = await app.account();
    const { avatar } = (await put(token, JPEG, { 'content-type': 'image/png' })).json;
    const { headers, text } = await read(avatar);
    expect(headers['content-type']).toBe('image/jpeg');
    for (const secret of EXIF_TEXTS) {
      expect(JPEG.includes(secret)).toBe(true);
      expect(text).not.toContain(secret);
    }
  });

  it('has another address with each upload; the one before is dead at once', async () => {
    const { token, id } = await app.account();
    const first = (await put(token, png())).json.avatar;
    const second = (await put(token, png())).json.avatar;
    expect(second).not.toBe(first);
    expect([(await read(first)).status, (await read(second)).status]).toEqual([404, 200]);
    const many = await Promise.all(Array.from({ length: 5 }, () => put(token, png())));
    expect(many.map(({ status }) => status)).toEqual(Array(5).fill(200));
    const { avatar } = (await me(token)).json;
    expect([(await read(avatar)).status, await stored(id)]).toEqual([200, 1]);
  });

  it('that an upload left behind which died is shown to nobody, and goes with a later one', async () => {
    const { token, id } = await app.account();
    const { avatars } = app.services.models;
    const made_at = new Date(Date.now() - 3_600_001);
    const _id = 'x'.repeat(43);
    await avatars.create({ _id, account: id, member: id, bytes: png(), made_at });
    expect((await app.request('GET', `/api/v1/avatars/${_id}`)).status).toBe(404);
    await put(token, png());
    expect([await stored(id), await avatars.exists({ _id })]).toEqual([1, null]);
  });

  it('is taken away by DELETE, also where there is none', async () => {
    const { token, id } = await app.account();
    const { avatar } = (await put(token, png())).json;
    for (let n = 0; n < 2; n++) {
      const answer = await app.request('DELETE', OWN, { token });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect((await me(token)).json.avatar).toBeNull();
      expect([(await read(avatar)).status, await stored(id)]).toEqual([404, 0]);
    }
  });

  it('goes by If-Match, as everything of a member does', async () => {
    const { token, id } = await app.account();
    const before = (await me(token)).headers.etag ?? '';
    const set = await put(token, png(), { 'if-match': before });
    expect(set.status).toBe(200);
    expect(set.headers.etag).not.toBe(before);
    expect((await put(token, png(), { 'if-match': before })).status).toBe(412);
    const late = { token, headers: { 'if-match': before } };
    expect((await app.request('DELETE', OWN, late)).status).toBe(412);
    expect([(await me(token)).json.avatar, await stored(id)]).toEqual([set.json.avatar, 1]);
    const now = { token, headers: { 'if-match': set.headers.etag ?? '' } };
    expect((await app.request('DELETE', OWN, now)).status).toBe(204);
  });
});

describe('what is no picture', () => {
  it('is a 400 of the field, another type a 415, too many bytes a 413', async () => {
    const { token, id } = await app.account();
    const page = Buffer.from('<script>alert(1)</script>');
    const asPng = { 'content-type': 'image/png' };
    const none = { avatar: ['Send a picture: PNG, JPEG or WebP.'] };
    expect(await put(token, page, asPng)).toMatchObject({ status: 400, json: none });
    expect(await put(token, undefined)).toMatchObject({ status: 400, json: none });
    const large = { avatar: ['Ensure the picture has 1 to 1024 pixels in width and height.'] };
    expect(await put(token, png(1_025, 1))).toMatchObject({ status: 400, json: large });
    for (const type of [
      'image/svg+xml',
      'image/gif',
      'text/html',
      'application/json',
      'multipart/form-data',
    ]) {
      expect([type, (await put(token, png(), { 'content-type': type })).status]).toEqual([type, 415]);
    }
    const tooLarge = { detail: `Request body is larger than ${MAX_AVATAR_BYTES} bytes.` };
    const padded = Buffer.concat([png(), Buffer.alloc(MAX_AVATAR_BYTES)]);
    expect(await put(token, padded)).toMatchObject({ status: 413, json: tooLarge });
    // By what it announces, before any of it is read.
    const announced = { ...asPng, 'content-length': String(MAX_AVATAR_BYTES + 1) };
    expect(await put(token, undefined, announced)).toMatchObject({ status: 413, json: tooLarge });
    const longest = Buffer.concat([png(), Buffer.alloc(MAX_AVATAR_BYTES - png().length)]);
    expect(await put(token, longest)).toMatchObject({
      status: 400,
      json: { avatar: ['Something follows the end of the picture.'] },
    });
    expect([(await me(token)).json.avatar, await stored(id)]).toEqual([null, 0]);
  });
});

describe('another member’s picture', () => {
  it('is removed by owners, and by admins but for owners’', async () => {
    const { token, id } = await app.account();
    const [admin, operator] = [await member(token, 'admin'), await member(token, 'operator')];
    await put(token, png());
    await put(operator.token, png());
    const remove = async (by: string, uuid: string) =>
      (await app.request('DELETE', `/api/v1/members/${uuid}/avatar/`, { token: by })).status;
    expect(await remove(operator.token, id)).toBe(403);
    expect(await remove(admin.token, id)).toBe(403);
    expect(await remove(admin.token, operator.uuid)).toBe(204);
    expect(await remove(token, id)).toBe(204);
    expect(await stored(id)).toBe(0);
    const stranger = await app.account();
    expect(await remove(stranger.token, operator.uuid)).toBe(404);
  });
});

describe('the end of a picture', () => {
  it('comes with that of its member, who was the founding one or not, and an owner who moves takes it along', async () => {
    const { token, id } = await app.account();
    const heir = await member(token, 'owner');
    const grace = await member(token, 'operator');
    const avatars = await Promise.all(
      [token, heir.token, grace.token].map(async (by) => (await put(by, png())).json.avatar),
    );
    const statuses = () => Promise.all(avatars.map(async (avatar) => (await read(avatar)).status));
    expect((await app.request('DELETE', `/api/v1/members/${grace.uuid}/`, { token })).status).toBe(204);
    expect(await statuses()).toEqual([200, 200, 404]);
    // The heir moves into the founder's place.
    expect((await app.request('DELETE', `/api/v1/members/${id}/`, { token: heir.token })).status).toBe(204);
    expect(await statuses()).toEqual([404, 200, 404]);
    expect([(await me(heir.token)).json.avatar, await stored(id)]).toEqual([avatars[1], 1]);
    // And out of it again.
    const other = await member(heir.token, 'owner');
    const body = { role: 'operator' };
    const path = `/api/v1/members/${heir.uuid}/`;
    expect((await app.request('PATCH', path, { token: other.token, body })).json.avatar).toBe(avatars[1]);
    expect(await statuses()).toEqual([404, 200, 404]);
  });

  it('comes with that of its account', async () => {
    const { token, id, username } = await app.account();
    const { avatar } = (await put(token, png())).json;
    const body = { username, password: 'a long enough secret' };
    expect((await app.request('POST', '/api/v1/account/delete/', { token, body })).status).toBe(204);
    await app.services.accountDeletion.resume();
    expect([(await read(avatar)).status, await stored(id)]).toEqual([404, 0]);
  });
});

it('has its entries in the audit trail, which name the field and nothing of it', async () => {
  const { token, id } = await app.account();
  const { avatar } = (await put(token, png())).json;
  await app.request('DELETE', OWN, { token });
  await settled(app.services);
  const trail = await app.request('GET', `/api/v1/audit/?object=${id}`, { token });
  const entries = trail.json.filter(({ action }: { action: string }) => action.endsWith('Avatar'));
  const changes = [{ field: 'avatar', from: null, to: null }];
  expect(entries).toMatchObject([
    { action: 'deleteOwnAvatar', changes, object: { kind: 'member', uuid: id } },
    { action: 'putOwnAvatar', changes, object: { kind: 'member', uuid: id } },
  ]);
  expect(trail.text).not.toContain(avatar.slice(-43));
});
