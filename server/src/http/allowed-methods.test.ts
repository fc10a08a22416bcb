import { describe, expect, it } from 'vitest';
import { testApp } from '../../test/app.ts';
import { document } from '../../test/openapi.ts';

const app = testApp();

const EXAMPLES: Record<string, string> = { label: 'a-room', token: 'a-token', conversation: 'conv_x' };
const UUID = '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11';

/** Every path of the document as a caller writes it, with its methods as Allow names them. */
const paths = Object.entries(document.paths ?? {}).map(([path, item]) => {
  const known = ['get', 'post', 'put', 'patch', 'delete'].filter((method) => method in item);
  const methods = [...known, ...(known.includes('get') ? ['head'] : [])].map((one) => one.toUpperCase());
  return [path.replace(/\{(\w+)\}/g, (_, name) => EXAMPLES[name] ?? UUID), methods.sort()] as const;
});

const PREFLIGHT = {
  origin: 'https://shop.example.com',
  'access-control-request-method': 'GET',
  'access-control-request-headers': 'authorization',
};

describe('OPTIONS', () => {
  it.each(paths)('%s names the methods of the path, and no other, to anybody', async (path, methods) => {
    for (const [headers, given] of [
      [{}, path],
      [{}, path.replace(/\/$/, '')],
      [{ authorization: 'Token nobody' }, path],
      [{ origin: PREFLIGHT.origin }, path],
      [PREFLIGHT, path],
      [{}, path.toUpperCase()],
      [PREFLIGHT, path.toUpperCase()],
    ] as const) {
      const answer = await app.request('OPTIONS', given, { headers });
      expect([answer.status, answer.text, answer.headers.allow]).toEqual([204, '', methods.join(', ')]);
      const offered = answer.headers['access-control-allow-methods']?.split(',') ?? [];
      expect(methods).toEqual(expect.arrayContaining(offered));
    }
  });

  it('of a path that no route has is a 404', async () => {
    const answer = await app.request('OPTIONS', '/api/v1/nothing/');
    expect([answer.status, answer.headers.allow]).toEqual([404, undefined]);
  });
});

describe('a method that the path does not have', () => {
  it.each(paths)('%s is a 405 that names the others', async (path, methods) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'].filter(
      (one) => !methods.includes(one),
    )) {
      const answer = await app.request(method, path);
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, methods.join(', ')]);
    }
  });
});
