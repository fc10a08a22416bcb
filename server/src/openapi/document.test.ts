import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../test/app.ts';
import { knownRoutes } from '../../test/openapi.ts';
import { openApiDocument } from './document.ts';

const app = testApp();

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1 by redocly’s recommended rules', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        // An operation may have only good answers, as /healthz; and one server, relative when PUBLIC_URL is not set.
        'operation-4xx-response': 'off',
        'no-server-example.com': 'off',
        // The specification writes its paths so; without the slash they work as well.
        'no-path-trailing-slash': 'off',
      },
    });
    const problems = await lintFromString({ source: JSON.stringify(openApiDocument('/')), config });
    const told = problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
    expect(told).toEqual([]);
  });

  it('describes every route that the router knows, and no other', () => {
    const documented = Object.entries(openApiDocument('/').paths ?? {}).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
        .map((method) => `${method.toUpperCase()} ${path.replace(/\/$/, '').replace(/\{\w+\}/g, '{}')}`),
    );
    expect(documented.sort()).toEqual(knownRoutes(app.services));
  });

  it('is served with an ETag, and names this server by PUBLIC_URL only', async () => {
    const answer = await app.request('GET', '/api/v1/openapi.json');
    expect([answer.status, answer.json.openapi, answer.json.servers]).toEqual([200, '3.1.1', [{ url: '/' }]]);
    const headers = { 'if-none-match': answer.headers.etag ?? '' };
    expect((await app.request('GET', '/api/v1/openapi.json', { headers })).status).toBe(304);
  });
});

describe('GET /api/v1/docs', () => {
  it('comes from this server alone', async () => {
    for (const path of ['/api/v1/docs', '/api/v1/docs/']) {
      const page = await app.request('GET', path);
      expect(page.headers['content-type']).toMatch(/^text\/html/);
      expect(page.headers['content-security-policy']).toMatch(/script-src 'self';/);
      expect(page.headers['content-security-policy']).not.toMatch(/https?:|unsafe-eval|\*/);
      expect(page.text).not.toMatch(/https?:\/\//);
    }
    const script = await app.request('GET', '/api/v1/docs/scalar.js');
    expect(script.headers['content-type']).toMatch(/^text\/javascript/);
    expect(script.text.length).toBeGreaterThan(1_000_000);
  });
});
