import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();
let token = '';
let member = '';

beforeAll(async () => {
  token = (await app.account()).token;
  member = (await app.request('GET', '/api/v1/members/me/', { token })).json.uuid;
});

const nodes = (greeting: string) => [{ id: 's', type: 'start', greeting }];
const call = (method: string, path: string, body?: unknown, more = {}) =>
  app.request(method, `/api/v1/workflows/${path}`, { token, body, ...more });
const create = async (more = {}): Promise<string> =>
  (await call('POST', '', { name: 'Orders', nodes: nodes('1') }, more)).json.uuid;

describe('/api/v1/workflows/<uuid>/versions/', () => {
  it('lists what was saved, by whom and when, shows one, and one is brought back', async () => {
    const uuid = await create();
    await call('PATCH', `${uuid}/`, { nodes: nodes('2') });
    // What leaves the graph as it is makes no version.
    await call('PATCH', `${uuid}/`, { name: 'Returns', is_published: true });
    const { json: versions } = await call('GET', `${uuid}/versions/`);
    const version = {
      uuid: expect.any(String),
      saved_at: expect.any(String),
      saved_by: member,
      node_count: 1,
    };
    expect(versions).toEqual([
      { ...version, is_current: true },
      { ...version, is_current: false },
    ]);
    expect(versions[0].saved_at >= versions[1].saved_at).toBe(true);

    const first = await call('GET', `${uuid}/versions/${versions[1].uuid}/`);
    expect(first.json).toEqual({ ...versions[1], nodes: nodes('1'), problems: [] });
    await call('PATCH', `${uuid}/`, { nodes: first.json.nodes });
    const after = (await call('GET', `${uuid}/versions/`)).json;
    expect(after.map((one: typeof version) => one.uuid)).toEqual([versions[1].uuid, versions[0].uuid]);
    expect(after[0].is_current).toBe(true);
    const again = { 'if-none-match': first.headers.etag ?? '' };
    const changed = await call('GET', `${uuid}/versions/${versions[1].uuid}/`, undefined, { headers: again });
    expect(changed.status).toBe(200);
  });

  it('keeps 50, and what a program saves has no member', async () => {
    const made = await app.request('POST', '/api/v1/tokens/', {
      token,
      body: { name: 'CI', scopes: ['workflows:write'] },
    });
    const uuid = await create({ token: made.json.token });
    const [{ saved_by }] = (await call('GET', `${uuid}/versions/`)).json;
    expect(saved_by).toBeNull();
    for (let n = 2; n <= 52; n++) await call('PATCH', `${uuid}/`, { nodes: nodes(String(n)) });
    const versions = (await call('GET', `${uuid}/versions/`)).json;
    expect(versions).toHaveLength(50);
    const oldest = await call('GET', `${uuid}/versions/${versions.at(-1).uuid}/`);
    expect(oldest.json.nodes).toEqual(nodes('3'));
  });

  it("shows no other workflow's version, and none of another account", async () => {
    const [one, other] = [await create(), await create()];
    const [version] = (await call('GET', `${other}/versions/`)).json;
    expect((await call('GET', `${one}/versions/${version.uuid}/`)).status).toBe(404);
    expect((await call('GET', `${one}/versions/none/`)).status).toBe(404);
    const stranger = (await app.account()).token;
    expect((await call('GET', `${other}/versions/`, undefined, { token: stranger })).status).toBe(404);
    const path = `${other}/versions/${version.uuid}/`;
    expect((await call('GET', path, undefined, { token: stranger })).status).toBe(404);
    await call('DELETE', `${other}/`);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('are gone with their workflow, also what is saved at that moment', async () => {
    const { models, workflows } = app.services;
    const uuid = await create();
    const { store } = workflows.graphs;
    const storing = vi.spyOn(workflows.graphs, 'store').mockImplementationOnce(async (...given) => {
      expect((await call('DELETE', `${uuid}/`)).status).toBe(204);
      return store.apply(workflows.graphs, given);
    });
    expect((await call('PATCH', `${uuid}/`, { nodes: nodes('2') })).status).toBe(404);
    storing.mockRestore();
    expect(await models.graphs.countDocuments({ workflow: uuid })).toBe(0);
  });

  it('are kept that are saved again while older ones are forgotten', async () => {
    const { models } = app.services;
    const uuid = await create();
    for (let n = 2; n <= 50; n++) await call('PATCH', `${uuid}/`, { nodes: nodes(`${n}`) });
    const [oldest] = await models.graphs.find({ workflow: uuid }).sort({ stored_at: 1 }).limit(1).lean();
    const again = JSON.parse(oldest?.nodes ?? '');
    const { deleteOne } = models.graphs;
    const forgetting = vi.spyOn(models.graphs, 'deleteOne').mockImplementationOnce((async (
      filter: object,
    ) => {
      forgetting.mockRestore();
      expect((await call('PATCH', `${uuid}/`, { nodes: again })).status).toBe(200);
      return deleteOne.call(models.graphs, filter as never);
    }) as never);
    expect((await call('PATCH', `${uuid}/`, { nodes: nodes('51') })).status).toBe(200);
    expect((await call('GET', `${uuid}/`)).json.nodes).toEqual(again);
  });

  it('stay where another account tries to save one', async () => {
    const uuid = await create();
    const stranger = (await app.account()).token;
    const saved = await call('PATCH', `${uuid}/`, { nodes: nodes('2') }, { token: stranger });
    expect(saved.status).toBe(404);
    expect((await call('GET', `${uuid}/versions/`)).json).toHaveLength(1);
  });
});
