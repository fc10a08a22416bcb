import { createHmac } from 'node:crypto';
import { EVENT_NAMES, WebhookSecret, WorkflowNode } from '@parlor/shared';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { testApp } from '../../test/app.ts';
import { bodyMediaOf, document, knownRoutes } from '../../test/openapi.ts';
import { exampleOf } from '../http/openapi/example.ts';
import { loadConfig } from '../platform/config.ts';
import { createRoutes } from '../routes.ts';
import { openApiDocument } from './document.ts';

const app = testApp();

/** The specification writes its paths with a slash at the end; without it they work as well. */
const REDOCLY = { 'no-path-trailing-slash': 'off' } as const;
const SPECTRAL = { 'path-keys-no-trailing-slash': 'off' } as const;

interface Described {
  operationId: string;
  parameters?: { $ref?: string }[];
  responses: Record<string, { $ref?: string; headers?: object }>;
}

describe('the OpenAPI document', () => {
  it('breaks none of Redocly’s recommended rules', { timeout: 120_000 }, async () => {
    const config = await createConfig({ extends: ['recommended'], rules: REDOCLY });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    const told = problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
    // A browser's step to the provider is a redirect, and nothing else.
    const start = '#/paths/~1api~1v1~1auth~1oidc~1start/get/responses';
    expect(told.filter(([rule, , at]) => !(rule === 'operation-2xx-response' && at === start))).toEqual([]);
  });

  it('breaks none of Spectral’s recommended rules', { timeout: 120_000 }, async () => {
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [[oas as never, 'recommended']], rules: SPECTRAL });
    const problems = await spectral.run(JSON.parse(JSON.stringify(document)));
    expect(problems.map(({ code, message, path }) => [code, message, path.join('.')])).toEqual([]);
  });

  it('refers to whole components alone: generators of clients know no others', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref);
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter((ref) => !/^#\/components\/\w+\/[\w.-]+$/.test(ref as string))).toEqual([]);
  });

  it('describes every route that the router knows, and no other', () => {
    const documented = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
        .map((method) => `${method.toUpperCase()} ${path.replace(/\/$/, '').replace(/\{\w+\}/g, '{}')}`),
    );
    expect(documented.sort()).toEqual(knownRoutes(app.services));
  });

  it('tells of each POST that takes no Idempotency-Key', () => {
    const posts = Object.values(document.paths ?? {}).flatMap(({ post }) => (post ? [post] : []));
    const taking = posts.filter(({ parameters = [] }) =>
      parameters.some((one) => '$ref' in one && one.$ref.endsWith('Idempotency-Key')),
    );
    const ignoring = posts.filter(({ description }) =>
      description?.includes('`Idempotency-Key` is ignored here.'),
    );
    const ids = (some: typeof posts) => some.map(({ operationId }) => operationId).sort();
    expect(ids([...taking, ...ignoring])).toEqual(ids(posts));
    expect(ids(taking)).toEqual(
      expect.arrayContaining(['changeConversations', 'createToken', 'inviteMember']),
    );
  });

  it('promises an end to a 409 only where an Idempotency-Key may wait for one', () => {
    const operations = Object.values(document.paths ?? {}).flatMap((item) =>
      Object.values(item as Record<string, Described>),
    );
    const conflicts = operations.flatMap(({ operationId, parameters = [], responses }) => {
      const given = responses[409];
      if (!given) return [];
      const response = given.$ref ? document.components?.responses?.Error409 : given;
      const waits = 'Retry-After' in ((response as Described['responses'][string])?.headers ?? {});
      return [
        { operationId, waits, hasKey: parameters.some(({ $ref = '' }) => $ref.endsWith('Idempotency-Key')) },
      ];
    });
    expect(conflicts.length).toBeGreaterThan(10);
    expect(conflicts.filter(({ waits, hasKey }) => waits !== hasKey)).toEqual([]);
    const said = document.paths?.['/api/v1/members/{uuid}/']?.delete?.responses?.[409];
    expect(said).toMatchObject({ description: expect.stringMatching(/at least one owner/) });
    const { headers } = (document.paths?.['/api/v1/auth/session']?.delete?.responses?.[204] ?? {}) as {
      headers?: object;
    };
    expect(Object.keys(headers ?? {})).toContain('Set-Cookie');
  });

  it('tells of each operation and each webhook what it does', () => {
    const items = [...Object.values(document.paths ?? {}), ...Object.values(document.webhooks ?? {})];
    const told = items.flatMap((item) => Object.values(item as Record<string, { operationId: string }>));
    for (const operation of told) {
      expect(operation).toMatchObject({
        operationId: expect.stringMatching(/^[a-zA-Z]+$/),
        summary: expect.stringMatching(/./),
        description: expect.stringMatching(/\.$/),
        tags: [expect.any(String)],
      });
    }
    const ids = told.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has an event for each that can be subscribed to, and a name for each type of node', () => {
    expect(Object.keys(document.webhooks ?? {})).toEqual([...EVENT_NAMES]);
    const schemas = document.components?.schemas ?? {};
    const { discriminator } = schemas.WorkflowNode as { discriminator: { mapping: Record<string, string> } };
    const types = WorkflowNode.options.map(({ shape }) => shape.type.value);
    expect(Object.keys(discriminator.mapping)).toEqual(types);
    for (const $ref of Object.values(discriminator.mapping)) {
      expect(schemas).toHaveProperty($ref.replace('#/components/schemas/', ''));
    }
    // One schema for what is sent and what is shown.
    expect(Object.keys(schemas).filter((name) => name.endsWith('Output'))).toEqual([]);
  });

  it('says the retries and time limits that are set, and the version of the package', () => {
    const config = loadConfig({ WEBHOOK_RETRY_DELAYS: '90s,2h', WEBHOOK_TIMEOUT: '7s' });
    const { webhooks, info } = openApiDocument(createRoutes({} as never), config);
    const text = webhooks?.['lead.added']?.post?.description ?? '';
    expect(text).toContain(
      '| attempt | pause before it |\n|---|---|\n| 1 | none |\n| 2 | 1 min 30 s |\n| 3 | 2 h |\n',
    );
    expect(text).toContain('within 7 s');
    expect(info.version).toBe(packageJson.version);
  });

  it('signs its examples of deliveries as its text says', () => {
    const { post } = document.webhooks?.['message.added'] ?? {};
    expect(post?.description).toContain(
      'the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, ' +
        'keyed by the bytes that the base64 after `whsec_` in the secret stands for',
    );
    const headers = Object.fromEntries(
      (post?.parameters ?? []).map((one) => ('name' in one ? [one.name, one.example] : [])),
    );
    const { secret } = exampleOf(WebhookSecret) as { secret: string };
    const body = JSON.stringify(bodyMediaOf(post).example);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const signature = createHmac('sha256', key).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
  });

  it('has no author in the example of what a visitor has said', () => {
    const media = bodyMediaOf(document.webhooks?.['message.added']?.post);
    const { data } = media.example as { data: object };
    expect(data).toMatchObject({ is_support_sender: false });
    expect(Object.keys(JSON.parse(JSON.stringify(data)))).not.toContain('author');
  });

  it('names the stream of the agent’s answers, where it goes on from, and what a 429 says of limits', () => {
    const { paths, components } = JSON.parse(JSON.stringify(document));
    const say = paths['/api/v1/public/conversations/{conversation}/messages'].post;
    expect(Object.keys(say.responses['200'].content)).toEqual(['application/json', 'text/event-stream']);
    expect(say.parameters).toContainEqual({ $ref: '#/components/parameters/Last-Event-ID' });
    const headers = Object.keys(components.responses.Error429.headers);
    expect(headers).toEqual(expect.arrayContaining(['Retry-After', 'RateLimit', 'RateLimit-Policy']));
  });

  it('says of every operation that headers may be too large', () => {
    const operations = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item));
    expect(operations.length).toBeGreaterThan(60);
    for (const { operationId, responses } of operations) {
      expect([operationId, responses['431']]).toEqual([
        operationId,
        { $ref: '#/components/responses/Error431' },
      ]);
    }
  });

  it('lets a text that may be left out be null, where it is sent and nowhere else', () => {
    const typeOf = (name: string, field: string) => {
      const schema = document.components?.schemas?.[name] as { properties: Record<string, unknown> };
      return JSON.stringify(schema.properties[field]);
    };
    expect(typeOf('NewLead', 'nickname')).toContain('"type":["string","null"]');
    expect(typeOf('LeadPatch', 'nickname')).toContain('"type":["string","null"]');
    for (const [name, field] of [
      ['Lead', 'nickname'],
      ['NewMessage', 'body'],
      ['LeadPatch', 'uuid'],
      ['NewWidget', 'horizontal_align'],
    ] as const) {
      expect([name, typeOf(name, field) ?? '']).not.toEqual([name, expect.stringContaining('null')]);
    }
  });

  it('has no pattern where a format says it', () => {
    const text = JSON.stringify(document);
    expect(text).toContain('"format":"date"');
    expect(text).not.toContain('[02468]');
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
    const icon = await app.request('GET', '/api/v1/docs/icon.svg');
    expect(icon.headers['content-type']).toMatch(/^image\/svg\+xml/);
    const script = await app.request('GET', '/api/v1/docs/scalar.js');
    expect(script.headers['content-type']).toMatch(/^text\/javascript/);
    expect(script.text.length).toBeGreaterThan(1_000_000);
  });
});
