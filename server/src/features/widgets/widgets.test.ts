import { NewWidget, Widget } from '@parlor/shared';
import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();
let token = '';
let stranger = '';
let first = '';

beforeAll(async () => {
  const account = await app.account();
  token = account.token;
  first = account.widget;
  stranger = (await app.account()).token;
});

const ALL = '/api/v1/widgets/';
const create = (body?: object, more = {}) => app.request('POST', ALL, { token, body, ...more });
const read = (widget: string) => app.request('GET', `${ALL}?token=${widget}`);
const readOwn = (widget: string) => app.request('GET', `${ALL}?token=${widget}`, { token });

describe('/api/v1/widgets/', () => {
  it('lists the account’s own, newest first, and makes one more', async () => {
    const made = await create({ name: 'Shop', popup_timeout: 30 });
    expect([made.status, Object.keys(made.json)]).toEqual([201, Object.keys(Widget.shape)]);
    expect(made.json).toMatchObject({ name: 'Shop', popup_timeout: 30, header_title: '' });
    expect(made.headers.location?.endsWith(`${ALL}?token=${made.json.token}`)).toBe(true);
    const listed = (await app.request('GET', ALL, { token })).json as Widget[];
    expect(listed.map((widget) => widget.token)).toEqual([made.json.token, first]);
    expect((await app.request('GET', ALL, { token: stranger })).json).toHaveLength(1);
  });

  it.each([
    ['domain', 'example.com', 'Enter a valid URL.'],
    ['domain', 'javascript:alert(1)', 'Enter a valid URL.'],
    ['logo_large', 'data:image/png;base64,x', 'Enter a valid URL.'],
    ['color', 'red', 'Enter a valid CSS hex colour.'],
    ['color', '#12345', 'Enter a valid CSS hex colour.'],
    ['color', '', 'Enter a valid CSS hex colour.'],
    ['bot_message_position', 'top', '"top" is not a valid choice.'],
    ['vertical_align', 'left', '"left" is not a valid choice.'],
    ['horizontal_align', null, 'This field may not be null.'],
    ['popup_timeout', -1, 'Ensure this value is greater than or equal to 0.'],
    ['popup_timeout', 86_401, 'Ensure this value is less than or equal to 86400.'],
    ['popup_timeout', '5', 'A valid integer is required.'],
    ['is_ask_name', 'true', 'Must be a valid boolean.'],
    ['header_title', 'x'.repeat(201), 'Ensure this field has no more than 200 characters.'],
    ['greeting_message', 'x'.repeat(1_001), 'Ensure this field has no more than 1000 characters.'],
  ])('refuses %s = %j', async (field, value, message) => {
    for (const answer of [
      await create({ [field]: value }),
      await app.request('PATCH', `${ALL}${first}/`, { token, body: { [field]: value } }),
    ]) {
      expect([answer.status, answer.json]).toEqual([400, { [field]: [message] }]);
    }
  });

  it('takes every value that the specification names', async () => {
    const allowed = {
      bot_message_position: ['center', 'left', 'right'],
      vertical_align: ['center', 'top', 'bottom'],
      horizontal_align: ['center', 'left', 'right'],
      color: ['#abc', '#ABCD', '#a1b2c3', '#a1b2c3d4'],
    };
    for (const [field, values] of Object.entries(allowed)) {
      for (const value of values) {
        const answer = await app.request('PATCH', `${ALL}${first}/`, { token, body: { [field]: value } });
        expect([answer.status, answer.json[field]]).toEqual([200, value]);
      }
    }
  });
});

describe('PUT, PATCH, DELETE /api/v1/widgets/<widget_token>/', () => {
  it('PUT replaces all fields, PATCH some; token and uuid stay', async () => {
    const { uuid, token: own } = (await create({ name: 'One', color: '#000000' })).json;
    const change = (method: string, body: object) => app.request(method, `${ALL}${own}/`, { token, body });
    const patch = await change('PATCH', { header_title: 'Hello', token: 'mine', uuid: 'mine' });
    expect(patch.json).toMatchObject({ uuid, token: own, name: 'One', header_title: 'Hello' });
    expect((await readOwn(own)).json).toEqual(patch.json);
    expect((await read(own)).json).toMatchObject({ name: 'One', header_title: 'Hello' });
    const put = await change('PUT', { name: 'Two' });
    expect(put.json).toEqual({ uuid, token: own, ...NewWidget.parse({ name: 'Two' }) });
    expect((await readOwn(own)).json).toEqual(put.json);
  });

  it('shows a change at once on the server that made it, and honours If-Match', async () => {
    const { token: own } = (await create()).json;
    const known = await read(own);
    const headers = { 'if-match': known.headers.etag ?? '' };
    const write = (name: string) => app.request('PATCH', `${ALL}${own}/`, { token, headers, body: { name } });
    const answers = await Promise.all([write('a'), write('b')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await readOwn(own)).text).toBe(winner?.text);
    expect((await read(own)).json.name).toBe(winner?.json.name);
  });

  it('kills the visitors’ tokens with the widget', async () => {
    const { token: own } = (await create()).json;
    const { visitor, room } = await app.session(own);
    await read(own);
    expect((await app.request('DELETE', `${ALL}${own}/`, { token })).status).toBe(204);
    expect((await read(own)).status).toBe(404);
    const body = { body: 'Hi', room: { uuid: room.uuid } };
    expect((await app.request('POST', '/api/v1/messages/', { visitor, body })).status).toBe(401);
  });

  it("are another account's 404", async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const answer = await app.request(method, `${ALL}${first}/`, { token: stranger, body: {} });
      expect([method, answer.status]).toEqual([method, 404]);
    }
  });
});
