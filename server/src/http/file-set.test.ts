import { expect, it } from 'vitest';
import { testApp } from '../../test/app.ts';

const app = testApp();

const get = (path: string, accepted: string, known = '') =>
  app.request('GET', path, {
    headers: { 'accept-encoding': accepted, ...(known && { 'if-none-match': known }) },
  });

const ENCODINGS = ['br', 'gzip', 'identity'];

it('tells encodings apart by their tags, of which none is what a compressing proxy makes of another', async () => {
  const path = '/widget.js';
  const answers = await Promise.all(ENCODINGS.map((encoding) => get(path, encoding)));
  const tags = answers.map(({ headers }) => headers.etag ?? '');
  expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined]);
  for (const [known, tag] of tags.entries()) {
    for (const sent of [
      tag,
      `W/${tag}`,
      `"other", ${tag}`,
      ...(known === 2 ? [`${tag.slice(0, -1)}-zstd"`] : []),
    ]) {
      const again = await Promise.all(ENCODINGS.map((encoding) => get(path, encoding, sent)));
      const statuses = ENCODINGS.map((_, encoding) => (encoding === known ? 304 : 200));
      expect([sent, ...again.map(({ status }) => status)]).toEqual([sent, ...statuses]);
      const answer = again[known];
      expect(answer?.text).toBe('');
      expect(answer?.headers.etag).toBe(tag);
      expect(answer?.headers['content-encoding']).toBeUndefined();
    }
  }
});

it('knows a file that the build has not compressed by the tag that a proxy has made of its own', async () => {
  const { status, headers } = await get('/demo/site.css', 'br, gzip');
  expect([status, headers['content-encoding']]).toEqual([200, undefined]);
  const tag = headers.etag ?? '';
  for (const end of ['-gzip', '-br', '-zstd', '-deflate', ';gzip']) {
    const again = await get('/demo/site.css', 'br, gzip', `${tag.slice(0, -1)}${end}"`);
    expect([end, again.status, again.text, again.headers.etag]).toEqual([end, 304, '', tag]);
    expect((await get('/demo/lamps.js', 'br, gzip', `${tag.slice(0, -1)}${end}"`)).status).toBe(200);
  }
});
