import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RequestOptions, testApp } from './app.ts';
import { bodyFor, credentialFor, type Fixtures, isSpoiling, makeFixtures, pathFor } from './fixtures.ts';
import { BY_OTHERS, bodyMediaOf, document, faults, mismatches, operations } from './openapi.ts';

const app = testApp();

/** What is read, and asked wrongly, is the same for all: nothing becomes of it. */
let shared: Fixtures;
/** What is written to by turns, by all that leave it to the others as they need it. */
let written: Fixtures;
beforeAll(async () => {
  shared = await makeFixtures(app);
  written = await makeFixtures(app);
});

describe('the examples of the OpenAPI document', () => {
  const here = operations.filter(({ id }) => !BY_OTHERS.has(id));

  it.each(here.map((operation) => [operation.id, operation] as const))(
    '%s: what is sent is taken, and the answer is as described',
    async (_, operation) => {
      const own = operation.method === 'GET' ? shared : written;
      const fixtures = isSpoiling(operation) ? await makeFixtures(app) : own;
      const body = bodyFor(operation, fixtures);
      const query = operation.id === 'retrieveWidget' ? `?token=${fixtures.ids.widgets}` : '';
      const ask = () =>
        app.request(operation.method, `${pathFor(operation, fixtures)}${query}`, {
          ...credentialFor(operation, fixtures),
          ...(body && { body }),
        });
      let answer = await ask();
      // Readiness has 2 s for its write: a busy machine's database may need another try, as the answer says.
      for (let tries = 0; answer.status === 503 && tries < 5; tries++) answer = await ask();
      expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([expect.any(Number), '']);
      expect(faults(operation, answer.status, answer.json)).toEqual([]);
      // A session's cookie keeps no cache from guessing how long what is somebody's own may be kept (RFC 9111, 4.2.2).
      if (operation.method === 'GET') expect(answer.headers['cache-control']).toEqual(expect.any(String));
    },
  );

  it.each(
    operations
      .filter(({ body, bytes }) => body || bytes.length > 0)
      .map((operation) => [operation.id, operation] as const),
  )('%s: errors are as described', async (_, operation) => {
    const given: RequestOptions = credentialFor(operation, shared);
    const send = (body: string, headers: Record<string, string> = {}) =>
      app.request(operation.method, pathFor(operation, shared), {
        ...given,
        body,
        headers: { ...given.headers, ...headers },
      });
    for (const answer of [
      await send('{'),
      await send('[]'),
      await send('x', { 'content-type': 'text/plain' }),
      await send(`"${'x'.repeat(300_000)}"`),
    ]) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(faults(operation, answer.status, answer.json)).toEqual([]);
    }
  });

  it('fit their schemas, by format too, those of webhooks with their signatures', () => {
    for (const { post } of Object.values(document.webhooks ?? {})) {
      const media = bodyMediaOf(post);
      expect([post?.operationId, mismatches(media.schema, media.example)]).toEqual([post?.operationId, []]);
      const headers = Object.fromEntries(
        (post?.parameters ?? []).map((one) => ('name' in one ? [one.name.toLowerCase(), one.example] : [])),
      );
      expect(headers['webhook-signature']).toBe(
        new Webhook('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD').sign(
          headers['webhook-id'],
          new Date(Number(headers['webhook-timestamp']) * 1_000),
          JSON.stringify(media.example),
        ),
      );
    }
    const media = operations.flatMap(({ media }) => media);
    expect(media.length).toBeGreaterThan(60);
    for (const { at, schema, example } of media) expect([at, mismatches(schema, example)]).toEqual([at, []]);
  });
});
