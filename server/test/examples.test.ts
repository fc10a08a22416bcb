import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { type RequestOptions, testApp } from './app.ts';
import {
  bodyFor,
  credentialFor,
  document,
  makeFixtures,
  type Operation,
  operations,
  pathFor,
} from './openapi.ts';

const app = testApp();

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(document, 'document');

/** What is wrong with an answer by the document; empty when nothing is. */
const faults = (operation: Operation, status: number, json: unknown): string[] => {
  const pointer = operation.answers[status];
  if (pointer === undefined) return [`${operation.id} does not describe status ${status}`];
  if (pointer === null) return json === undefined ? [] : ['a body where none is described'];
  const validate = ajv.compile({ $ref: `document#${encodeURI(pointer)}` });
  return validate(json)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
};

describe('the examples of the OpenAPI document', () => {
  it.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s: what is sent is taken, and the answer is as described',
    async (_, operation) => {
      const fixtures = await makeFixtures(app);
      const body = bodyFor(operation, fixtures);
      const query = operation.id === 'retrieveWidget' ? `?token=${fixtures.ids.widgets}` : '';
      const answer = await app.request(operation.method, `${pathFor(operation, fixtures)}${query}`, {
        ...credentialFor(operation, fixtures),
        ...(body && { body }),
      });
      expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([expect.any(Number), '']);
      expect(faults(operation, answer.status, answer.json)).toEqual([]);
    },
  );

  it.each(operations.filter(({ body }) => body).map((operation) => [operation.id, operation] as const))(
    '%s: errors are as described',
    async (_, operation) => {
      const fixtures = await makeFixtures(app);
      const given: RequestOptions = credentialFor(operation, fixtures);
      const send = (body: string, headers: Record<string, string> = {}) =>
        app.request(operation.method, pathFor(operation, fixtures), {
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
    },
  );
});
