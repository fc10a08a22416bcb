import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../test/app.ts';
import { BODY_LIMIT_BYTES } from './body-chunks.ts';
import { DEPTH_LIMIT, parseJson } from './json-body.ts';

const PACK = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

const app = testApp();
let token = '';

beforeAll(async () => {
  token = (await app.account()).token;
});

const post = (body: string | Buffer | undefined, headers: Record<string, string> = {}) =>
  app.request('POST', '/api/v1/rooms/', { token, body, headers });

describe('a JSON body', () => {
  it.each([
    ['{', 'unexpected end at position 1'],
    ['{"name":"x",}', 'unexpected "}" at position 12'],
    ['{name:"x"}', 'unexpected "n" at position 1'],
    ['{"name":"x"} y', 'unexpected "y" at position 13'],
    ['nul', 'unexpected end at position 3'],
    ['{"a":NaN}', 'unexpected "N" at position 5'],
    ['{"a":01}', 'unexpected "1" at position 6'],
    ['{"a":"\u0001"}', 'unexpected "\\u0001" at position 6'],
    ['{"a":"x', 'unexpected end at position 7'],
    ['{"a":2.', 'unexpected end at position 7'],
    ['{"a":2.x}', 'unexpected "x" at position 7'],
    ['{"a":-}', 'unexpected "}" at position 6'],
    ['{"a":1e', 'unexpected end at position 7'],
    ['{"a":"\\u00', 'unexpected end at position 10'],
    ['{"a":"\\u00g', 'unexpected "g" at position 10'],
    ["{'a':1}", 'unexpected "\'" at position 1'],
    ['<xml/>', 'unexpected "<" at position 0'],
    ['{"a":"\\x"}', 'unexpected "x" at position 7'],
  ])('%s is a 400 that says where', async (text, why) => {
    const answer = await post(text);
    expect([answer.status, answer.json]).toEqual([400, { detail: `JSON parse error - ${why}` }]);
  });

  it('that is not UTF-8 is a 400', async () => {
    const answer = await post(Buffer.from([0x22, 0xff, 0x22]));
    expect(answer.json.detail).toBe('JSON parse error - the body is not valid UTF-8');
  });

  it.each(['[]', '"text"', '5', 'true'])('%s is not an object', async (text) => {
    const answer = await post(text);
    expect(answer.status).toBe(400);
    expect(answer.json.non_field_errors[0]).toMatch(/^Invalid data\. Expected a dictionary, but got \w+\.$/);
  });

  it('null is not an object either', async () => {
    expect((await post('null')).json).toEqual({
      non_field_errors: ['Invalid data. Expected a dictionary, but got null.'],
    });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'nonsense'])(
    '%s is a 415',
    async (type) => {
      const answer = await post('{}', { 'content-type': type });
      expect([answer.status, answer.json]).toEqual([
        415,
        { detail: `Unsupported media type "${type}" in request.` },
      ]);
    },
  );

  it('may name a charset, and may be empty', async () => {
    expect((await post('{}', { 'content-type': 'application/json; charset=utf-8' })).status).toBe(201);
    expect((await post('')).status).toBe(201);
    expect((await post(undefined)).status).toBe(201);
  });

  it('may be as large as the limit and no larger', async () => {
    const filled = (size: number) => `{"x":"${'a'.repeat(size - 8)}"}`;
    expect((await post(filled(BODY_LIMIT_BYTES))).status).toBe(201);
    const over = await post(filled(BODY_LIMIT_BYTES + 1));
    expect([over.status, over.json.detail]).toEqual([413, 'Request body is larger than 262144 bytes.']);
  });

  it('may have 50 000 values and no more, where they are no part of a text', async () => {
    const filled = (count: number) =>
      `{"x":[${Array(count - 2)
        .fill('1')
        .join(',')}]}`;
    expect((await post(filled(50_000))).status).toBe(201);
    const over = await post(filled(50_001));
    expect([over.status, over.json.detail]).toEqual([413, 'Request body has more than 50000 values.']);
    expect((await post(JSON.stringify({ x: '[,:{'.repeat(20_000) }))).status).toBe(201);
  });

  it('may be compressed, but not beyond the limit', async () => {
    const gzip = { 'content-encoding': 'gzip' };
    expect((await post(gzipSync('{"name":"small"}'), gzip)).json.name).toBe('small');
    expect((await post(gzipSync(`{"name":"${'a'.repeat(10_000_000)}"}`), gzip)).status).toBe(413);
    for (const coding of ['gzip', 'deflate', 'br']) {
      expect((await post('{"is":"plain"}', { 'content-encoding': coding })).status).toBe(400);
    }
    expect((await post('{}', { 'content-encoding': 'zstd' })).status).toBe(415);
  });

  it.each(['gzip', 'deflate', 'br'] as const)(
    'too large and cut short in %s is refused, and ends nothing',
    async (coding) => {
      const headers = { 'content-encoding': coding };
      for (const size of [BODY_LIMIT_BYTES - 1, BODY_LIMIT_BYTES + 1, 270_000, 300_000]) {
        for (const cut of [1, 3, 8]) {
          const body = PACK[coding](Buffer.alloc(size, ' ')).subarray(0, -cut);
          expect([400, 413]).toContain((await post(body, headers)).status);
        }
      }
      // What it would throw where nobody listens comes in a later turn.
      await sleep(50);
      expect((await post(PACK[coding]('{"name":"after"}'), headers)).json.name).toBe('after');
    },
  );

  it('is read compressed where a credential was shown, and nowhere else', async () => {
    const { widget } = await app.account();
    const { visitor } = await app.session(widget);
    const sessions = `/api/v1/widgets/${widget}/sessions/`;
    for (const [coding, pack] of Object.entries(PACK)) {
      const headers = { 'content-encoding': coding };
      const body = pack('{}');
      expect((await app.request('POST', sessions, { visitor, body, headers })).status).toBe(201);
      for (const path of ['/api/v1/auth/register', '/api/v1/auth/api-token', sessions]) {
        const answer = await app.request('POST', path, { body, headers });
        expect([answer.status, answer.json]).toEqual([
          415,
          { detail: 'A compressed request body needs a credential.' },
        ]);
        expect(answer.headers['accept-encoding']).toBe('identity');
      }
    }
    expect(
      (await app.request('POST', sessions, { body: '{}', headers: { 'content-encoding': 'identity' } }))
        .status,
    ).toBe(201);
  });

  it('may be nested as deep as the limit and no deeper', async () => {
    const nested = (depth: number) => `{"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect((await post(nested(DEPTH_LIMIT))).status).toBe(201);
    expect((await post(nested(DEPTH_LIMIT + 1))).json.detail).toMatch(/nested deeper than 64 levels/);
    expect((await post(nested(100_000))).status).toBe(400);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '$gt', 'a.b', ''])(
    'may hold an unknown field named %j',
    async (name) => {
      for (const value of ['null', '{"$gt":""}', '{"__proto__":{"is_bot_use":true}}', '[1]']) {
        const answer = await post(`{"name":"kept",${JSON.stringify(name)}:${value}}`);
        expect([answer.status, answer.json.name, answer.json.is_bot_use]).toEqual([201, 'kept', false]);
      }
    },
  );

  it('takes the last of two equal names, as JSON.parse does', async () => {
    expect((await post('{"name":"a","name":"b"}')).json.name).toBe('b');
  });
});

describe('parseJson', () => {
  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(parseJson(Buffer.from(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('points at where a broken text can no longer become JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.nat(), (value, where) => {
        const text = JSON.stringify({ value });
        const at = where % text.length;
        // A control character is allowed nowhere in JSON, but for the white space ones.
        const broken = `${text.slice(0, at)}\u0001${text.slice(at)}`;
        expect(() => parseJson(Buffer.from(broken))).toThrow(`unexpected "\\u0001" at position ${at}`);
      }),
      { numRuns: 500 },
    );
  });

  it('points there in whatever is cut, joined or changed', () => {
    /** Whether more text could still make it JSON, as V8 says it. */
    const isStart = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch (error) {
        const { message } = error as Error;
        if (message.startsWith('Unexpected end')) return true;
        return Number(/at position (\d+)/.exec(message)?.[1] ?? -1) >= text.length;
      }
    };
    const pieces = '[ ] { } , : " \\ / - + . e E 0 1 23 true false null nul a u 00e9 é 😀'.split(' ');
    const texts = fc.array(fc.constantFrom(' ', '\n', '\u0001', '{"a":', '"b",', ...pieces), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        texts.map((parts) => parts.join('')),
        (text) => {
          const said = (() => {
            try {
              parseJson(Buffer.from(text));
            } catch (error) {
              return (error as Error).message;
            }
          })();
          if (said === undefined) return;
          const at = Number(/at position (\d+)$/.exec(said)?.[1]);
          expect([text, isStart(text.slice(0, at))]).toEqual([text, true]);
          expect(said.includes('unexpected end')).toBe(at === text.length);
          const broken = String.fromCodePoint(text.codePointAt(at) ?? 0);
          if (at < text.length)
            expect([text, at, isStart(text.slice(0, at) + broken)]).toEqual([text, at, false]);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
