import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();
let token = '';
let stranger = '';

beforeAll(async () => {
  token = (await app.account()).token;
  stranger = (await app.account()).token;
});

const nodes = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'q' },
  { id: 'q', type: 'question', text: 'Your name?', save_as: 'name', next: 'e' },
  { id: 'e', type: 'end', text: 'Bye {{name}}' },
];
const call = (method: string, path: string, body?: unknown, more = {}) =>
  app.request(method, `/api/v1/workflows/${path}`, { token, body, ...more });
const create = async (fields: object = {}, more = {}) =>
  (await call('POST', '', { name: 'Orders', nodes, ...fields }, more)).json;

const UNREADABLE = { variable: 'x', operator: 'matches', value: '(a' };

describe('/api/v1/workflows/', () => {
  it('creates, shows, lists, replaces, changes and deletes', async () => {
    const made = await call('POST', '', { name: 'Orders', nodes });
    expect(made.status).toBe(201);
    expect(made.json).toEqual({
      uuid: expect.any(String),
      name: 'Orders',
      is_published: false,
      is_room_bot: false,
      nodes,
      public_key: expect.stringMatching(/^pk_live_[A-Za-z0-9]{32}$/),
      problems: [],
    });
    expect(made.headers.location).toMatch(new RegExp(`/api/v1/workflows/${made.json.uuid}/$`));
    const got = await call('GET', `${made.json.uuid}/`);
    expect(got.json).toEqual(made.json);
    expect(got.headers.etag).toBe(made.headers.etag);
    expect((await call('GET', '')).json).toContainEqual(made.json);

    const replaced = await call('PUT', `${made.json.uuid}/`, { name: 'Returns' });
    expect(replaced).toMatchObject({
      status: 200,
      json: { name: 'Returns', nodes: [], public_key: made.json.public_key },
    });
    expect(replaced.json.problems).toEqual(['The workflow has no Start node.']);
    const changed = await call('PATCH', `${made.json.uuid}/`, { nodes });
    expect(changed.json).toMatchObject({ name: 'Returns', nodes, problems: [] });

    expect((await call('DELETE', `${made.json.uuid}/`)).status).toBe(204);
    expect((await call('GET', `${made.json.uuid}/`)).status).toBe(404);
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])("%s of another account's workflow is a 404", async (method) => {
    const { uuid } = await create();
    const body = method === 'PUT' || method === 'PATCH' ? { name: 'Mine' } : undefined;
    expect((await call(method, `${uuid}/`, body, { token: stranger })).status).toBe(404);
    expect((await call('POST', `${uuid}/rotate-key/`, {}, { token: stranger })).status).toBe(404);
  });

  it.each<[fields: object, errors: object]>([
    [{ name: '' }, { name: ['This field may not be blank.'] }],
    [{ nodes: 'none' }, { nodes: ['Expected a list of items but got type "str".'] }],
    [{ nodes: [{ id: 'a', type: 'dance' }] }, { nodes: { 0: { type: ['"dance" is not a valid choice.'] } } }],
    [{ nodes: [{ type: 'end' }] }, { nodes: { 0: { id: ['This field is required.'] } } }],
    [{ nodes: [nodes[0], nodes[0]] }, { nodes: { 1: { id: ['The id of a node must be unique.'] } } }],
    [
      { nodes: Array.from({ length: 501 }, (_, i) => ({ id: `${i}`, type: 'end' })) },
      { nodes: ['Ensure this field has no more than 500 elements.'] },
    ],
    [
      { nodes: [{ id: 'f', type: 'faq', entries: [{ questions: [], answer: 'x' }], threshold: 2 }] },
      {
        nodes: {
          0: {
            entries: { 0: { questions: ['This list may not be empty.'] } },
            threshold: ['Ensure this value is less than or equal to 1.'],
          },
        },
      },
    ],
    [
      {
        nodes: [
          { id: 'c', type: 'condition', branches: [{ variable: 'x', operator: 'matches', value: '(a' }] },
        ],
      },
      {
        nodes: {
          0: { branches: { 0: { value: [expect.stringContaining('Enter a valid regular expression')] } } },
        },
      },
    ],
    [
      { nodes: [{ id: 'c', type: 'condition', branches: Array(40).fill(UNREADABLE) }] },
      {
        nodes: {
          0: {
            branches: {
              ...Array(9).fill({ value: [expect.stringContaining('Enter a valid regular expression')] }),
              9: { value: [expect.stringContaining('no further pattern was looked at')] },
            },
          },
        },
      },
    ],
  ])('refuses what is wrong, by a clear path (%#)', async (fields, errors) => {
    const { uuid } = await create();
    for (const answer of [
      await call('POST', '', { name: 'Orders', ...fields }),
      await call('PATCH', `${uuid}/`, fields),
    ]) {
      expect(answer.json).toEqual(errors);
      expect(answer.status).toBe(400);
    }
  });

  it('refuses 10 000 nodes by their size', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({ id: `${i}`, type: 'end' }));
    expect((await call('POST', '', { name: 'Orders', nodes: many })).status).toBe(413);
  });

  it('rotates the key', async () => {
    const made = await create();
    const rotated = await call('POST', `${made.uuid}/rotate-key/`);
    expect(rotated.status).toBe(200);
    expect(rotated.json).toEqual({ ...made, public_key: expect.stringMatching(/^pk_live_/) });
    expect(rotated.json.public_key).not.toBe(made.public_key);
    expect(await app.services.workflows.byKey(made.public_key)).toBeUndefined();
    expect((await app.services.workflows.byKey(rotated.json.public_key))?._id).toBe(made.uuid);
  });

  it('keeps no key readable in the database, nor in what a replay needs', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const made = await call('POST', '', { name: 'Orders', nodes }, { headers });
    const again = await call('POST', '', { name: 'Orders', nodes }, { headers });
    expect(again.json).toEqual(made.json);
    expect(again.headers['idempotency-replayed']).toBe('true');
    const { workflows, graphs, idempotency } = app.services.models;
    for (const model of [workflows, graphs, idempotency]) {
      expect(JSON.stringify(await (model as any).find({}).lean())).not.toContain(
        made.json.public_key.slice(8),
      );
    }
  });

  it('answers 409 to a key whose workflow has been deleted', async () => {
    const headers = { 'Idempotency-Key': 'gone' };
    const { json } = await call('POST', '', { name: 'Orders', nodes }, { headers });
    expect((await call('DELETE', `${json.uuid}/`)).status).toBe(204);
    expect(await call('POST', '', { name: 'Orders', nodes }, { headers })).toMatchObject({
      status: 409,
      json: { detail: 'What was made under this Idempotency-Key has been deleted.' },
    });
  });

  it('goes by If-Match', async () => {
    const { uuid } = await create();
    const { headers } = await call('GET', `${uuid}/`);
    const change = (name: string) =>
      call('PATCH', `${uuid}/`, { name }, { headers: { 'If-Match': headers.etag } });
    expect((await change('One')).status).toBe(200);
    expect((await change('Two')).status).toBe(412);
  });
});

describe('is_room_bot', () => {
  it('comes to the first published workflow by itself, and to whichever asks for it', async () => {
    const { token } = await app.account();
    const own = (method: string, path: string, body?: unknown) => call(method, path, body, { token });
    const draft = (await own('POST', '', { name: 'Draft', nodes })).json;
    expect(draft.is_room_bot).toBe(false);
    const first = (await own('POST', '', { name: 'First', nodes, is_published: true })).json;
    expect(first.is_room_bot).toBe(true);
    const second = (await own('POST', '', { name: 'Second', nodes, is_published: true })).json;
    expect(second.is_room_bot).toBe(false);

    expect((await own('PATCH', `${second.uuid}/`, { is_room_bot: true })).json.is_room_bot).toBe(true);
    expect((await own('GET', `${first.uuid}/`)).json.is_room_bot).toBe(false);
    await own('PATCH', `${second.uuid}/`, { is_published: false });
    expect((await own('PATCH', `${draft.uuid}/`, { is_published: true })).json.is_room_bot).toBe(true);
    expect((await own('PATCH', `${draft.uuid}/`, { is_room_bot: false })).json.is_room_bot).toBe(false);
  });

  it('stays with exactly one when all ask at once', async () => {
    const { token } = await app.account();
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        call('POST', '', { name: `W${i}`, nodes, is_published: true, is_room_bot: true }, { token }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual(Array(8).fill(201));
    const listed = (await call('GET', '', undefined, { token })).json;
    expect(listed.filter((workflow: any) => workflow.is_room_bot)).toHaveLength(1);
  });
});
