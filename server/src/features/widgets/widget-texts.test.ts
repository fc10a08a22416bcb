import { LOCALES, NewWidget, WIDGET_TEXT_FIELDS, WIDGET_TEXTS } from '@parlor/shared';
import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();
let token = '';
let stranger = '';
let widget = '';

beforeAll(async () => {
  ({ token, widget } = await app.account());
  stranger = (await app.account()).token;
});

const read = (more = '', as?: string) =>
  app.request('GET', `/api/v1/widgets/?token=${widget}${more}`, as ? { token: as } : {});
const change = (body: object, headers = {}) =>
  app.request('PATCH', `/api/v1/widgets/${widget}/`, { token, body, headers });

describe('the texts of a widget that its owner has not written', () => {
  it.each(LOCALES)('are read in %s', async (locale) => {
    expect((await read(`&locale=${locale}`)).json).toMatchObject(WIDGET_TEXTS[locale]);
  });

  it('hold what a setting may hold, in every language', () => {
    for (const locale of LOCALES)
      expect(NewWidget.parse(WIDGET_TEXTS[locale])).toMatchObject(WIDGET_TEXTS[locale]);
  });

  it.each([
    ['', 'en'],
    ['&locale=', 'en'],
    ['&locale=tlh', 'en'],
    ['&locale=sv,de-AT,en', 'de'],
    ['&locale=PT_br', 'pt'],
    ['&locale=iw', 'he'],
    [`&locale=${'x'.repeat(5_000)}`, 'en'],
    ['&locale=__proto__,constructor', 'en'],
  ] as const)('for %j are read in %s', async (query, locale) => {
    expect((await read(query)).json).toMatchObject(WIDGET_TEXTS[locale]);
  });

  it('are empty to the owner, and filled to everybody else', async () => {
    const own = await read('', token);
    for (const field of WIDGET_TEXT_FIELDS) expect(own.json[field]).toBe('');
    expect(own.headers['cache-control']).toBe('no-cache');
    expect(own.headers.vary).toMatch(/Authorization/);
    expect((await read('', stranger)).text).toBe((await read()).text);
    expect((await read('', 'f'.repeat(40))).status).toBe(401);
    const path = `/api/v1/widgets/${widget}/`;
    const stored = await app.request('GET', path, { token });
    expect([stored.status, stored.json, stored.headers.etag]).toEqual([200, own.json, own.headers.etag]);
    for (const as of [{ token: stranger }, {}]) {
      expect((await app.request('GET', path, as)).status).toBe('token' in as ? 404 : 401);
    }
  });

  it('give way to the owner’s own, and white space to nothing but where a name is needed', async () => {
    const texts = { header_title: 'Lamps', greeting_message: ' ', message_placeholder: ' ' };
    expect((await change(texts)).json).toMatchObject(texts);
    expect((await read('&locale=de')).json).toMatchObject({
      header_title: 'Lamps',
      greeting_message: '',
      message_placeholder: WIDGET_TEXTS.de.message_placeholder,
      header_subtitle: WIDGET_TEXTS.de.header_subtitle,
    });
    await change({ header_title: '', greeting_message: '', message_placeholder: '' });
    expect((await read('&locale=de')).json).toMatchObject(WIDGET_TEXTS.de);
  });

  it('have a tag for each language, and each is good for If-Match', async () => {
    const [english, german, own] = [await read(), await read('&locale=de'), await read('', token)];
    const tags = [english, german, own].map(({ headers }) => headers.etag ?? '');
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) {
      const matching = await change({ name: 'same' }, { 'if-match': tag });
      expect([matching.status, (await change({ name: '' })).status]).toEqual([200, 200]);
    }
    await change({ name: 'other' });
    for (const tag of tags) expect((await change({ name: 'x' }, { 'if-match': tag })).status).toBe(412);
  });

  it('have a tag for each language also with what a compressing proxy adds to it', async () => {
    const forms = ['', '&locale=de', '&locale=fr'];
    const tags = await Promise.all(forms.map(async (form) => (await read(form)).headers.etag ?? ''));
    for (const end of ['-gzip', '-br', '-zstd', '-deflate', ';gzip']) {
      for (const [known, tag] of tags.entries()) {
        const headers = { 'if-none-match': `${tag.slice(0, -1)}${end}"` };
        const statuses = forms.map(async (form) => {
          const answer = await app.request('GET', `/api/v1/widgets/?token=${widget}${form}`, { headers });
          return answer.status;
        });
        expect(await Promise.all(statuses)).toEqual(forms.map((_, form) => (form === known ? 304 : 200)));
        const matching = await change({}, { 'if-match': headers['if-none-match'] });
        expect([end, matching.status]).toEqual([end, 200]);
      }
    }
  });

  it('that an older server stored in English are taken for empty, and empty ones for none', async () => {
    const { token: owner, widget: old } = await app.account();
    const before = { ...WIDGET_TEXTS.en, header_subtitle: '', header_title: 'Lamps' };
    const { widgets } = app.services.models;
    await widgets.collection.updateOne({ token: old }, { $set: before, $unset: { is_localized: 1 } });
    const shown = async (as?: string) =>
      (await app.request('GET', `/api/v1/widgets/?token=${old}&locale=fr`, as ? { token: as } : {})).json;
    const expected = { header_title: 'Lamps', header_subtitle: '' };
    // The copy that is shown to the public is at most a second old; a change by this server empties it.
    const put = { token: owner, body: { popup_timeout: 5 } };
    await app.request('PATCH', `/api/v1/widgets/${old}/`, put);
    expect(await shown()).toMatchObject({ ...WIDGET_TEXTS.fr, ...expected });
    expect(await shown(owner)).toMatchObject({
      greeting_message: '',
      header_subtitle: ' ',
      popup_timeout: 5,
    });
    const stored = await widgets.findOne({ token: old }).lean();
    expect(stored).toMatchObject({ greeting_message: '', header_subtitle: ' ', is_localized: true });
  });
});
