import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { framePlaces, frameText } from './fuzz-frames.ts';
import { placesOf } from './fuzz-places.ts';
import type { Standing } from './fuzz-standing.ts';
import { requestOf, type Step, stepsOf } from './fuzz-walk.ts';
import { chooser, textPaths } from './hostile-texts.ts';
import { document, operations } from './openapi.ts';
import { type JsonSchema, textFields } from './text-fields.ts';

/** That fuzz.test.ts reaches all that is documented, also what will be some day. */

const anything = new Proxy({} as Record<string, string>, {
  get: () => '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11',
});
const own: Standing = {
  ...{ token: 'a-token', username: 'ada', totpSecret: 'JBSWY3DPEHPK3PXP', invitation: 'i', agentKey: 'k' },
  ...{ room: { uuid: 'a-room', label: 'a-label' }, ids: anything, cookie: 'parlor=a-cookie' },
  visitor: { token: 'v', room: { uuid: 'v-room', label: 'v-label' }, lead: 'l', message: 'm', note: 'n' },
};
const places = placesOf(operations);
const namesOf = (id: string): string[] =>
  places.filter(({ operation }) => operation.id === id).map(({ name }) => name.slice(id.length + 2));

const plain = JSON.parse(JSON.stringify(document));

/** A part of the document without references, as plain JSON; what has been gone into already ends there. */
const unfolded = (value: unknown, inside: readonly string[] = []): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => unfolded(one, inside));
  if ('$ref' in value) {
    const reference = String(value.$ref);
    if (inside.includes(reference)) return {};
    const at = reference.split('/').slice(1);
    return unfolded(
      at.reduce((whole, part) => whole[part], plain),
      [...inside, reference],
    );
  }
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unfolded(one, inside)]));
};

/** How many schemas of a text stand in a schema, by whatever words it holds them. */
const textsIn = (schema: unknown): number => {
  if (typeof schema !== 'object' || schema === null) return 0;
  if (Array.isArray(schema)) return schema.reduce((sum, one) => sum + textsIn(one), 0);
  const { type } = schema as { type?: unknown };
  const isText = type === 'string' || (Array.isArray(type) && type.includes('string'));
  return Object.values(schema).reduce((sum: number, one) => sum + textsIn(one), Number(isText));
};

/** As a path of JSON is written in the name of a field, without the variants. */
const shown = (path: readonly (string | number)[]): string =>
  path
    .map((part) => (/^\d+$/.test(String(part)) ? '[]' : `.${part}`))
    .join('')
    .replace(/^\./, '');
const withoutVariants = (name: string): string => name.replace(/<\w+>/g, '').replace(/^\./, '');

describe('the places that are fuzzed', () => {
  it('are of every operation, with each credential that it takes', () => {
    const documented = Object.values(document.paths ?? {}).flatMap((item) =>
      Object.values(item as Record<string, { operationId: string; security: object[] }>).flatMap((one) =>
        one.security.map((scheme) => `${one.operationId} as ${Object.keys(scheme)[0] ?? 'public'}`),
      ),
    );
    const reached = new Set(places.map(({ operation, caller }) => `${operation.id} as ${caller}`));
    expect(documented.length).toBeGreaterThan(150);
    expect(documented.filter((one) => !reached.has(one))).toEqual([]);
  });

  it('are every text of a body, as often as its schema says', () => {
    const bodies = operations.filter(({ schema }) => schema);
    expect(bodies.length).toBeGreaterThan(40);
    for (const { id, schema, callers } of bodies) {
      const fields = namesOf(id).filter((name) => name.startsWith('body: '));
      const sides = callers.filter((caller) => caller !== 'Session').length;
      expect([id, new Set(fields).size, fields.length]).toEqual([
        ...[id, textsIn(unfolded(schema)) * sides, textsIn(unfolded(schema)) * sides],
      ]);
    }
  });

  it('are every text of an example, too', () => {
    for (const { id, body } of operations) {
      const names = new Set(
        namesOf(id).map((name) =>
          withoutVariants(name.replace(/^body: |, as \w+$/g, '').replace(/\.?<\w+>/g, '')),
        ),
      );
      for (const path of textPaths(body)) {
        const isReached = names.has(shown(path)) || names.has(`${shown(path.slice(0, -1))}{}`);
        expect([id, shown(path), isReached]).toEqual([id, shown(path), true]);
      }
    }
  });

  it('are every parameter, wherever it is described, and bytes of every type', () => {
    for (const [path, item] of Object.entries<any>(plain.paths)) {
      for (const operation of Object.values<any>(item)) {
        const names = namesOf(operation.operationId).map((name) => name.replace(/, as \w+$/, ''));
        const parameters = (unfolded(operation.parameters ?? []) as any[]).map(
          (one) => `${one.in}: ${one.name}`,
        );
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path: ${name}`);
        const types = Object.keys(operation.requestBody?.content ?? {}).filter(
          (type) => !type.includes('json'),
        );
        const all = [...parameters, ...inPath, ...types.map((type) => `bytes: ${type}`)];
        expect(names).toEqual(expect.arrayContaining(all));
      }
    }
  });

  it('hold the text in what is sent, and nowhere else', () => {
    const mark = 'a-mark-of-its-own';
    const [first] = stepsOf(operations, chooser(1));
    for (const place of places) {
      const step: Step = {
        ...(first as Step),
        place,
        text: mark,
        times: 1,
        coding: undefined,
        isLarge: false,
      };
      const { path, options } = requestOf(step, own, 'http://127.0.0.1');
      const { where } = place;
      const at = {
        query:
          path
            .split('?')[1]
            ?.split('&')
            .filter((one) => one.endsWith(`=${mark}`)) ?? [],
        path: path.split('?')[0]?.split('/').includes(mark),
        header: Object.keys(options.headers ?? {}).filter((name) => options.headers?.[name] === mark),
        body: String(options.body ?? '').split(mark).length - 1,
      };
      const is = where.kind === 'parameter' ? where.parameter.in : undefined;
      const named = where.kind === 'parameter' ? where.parameter.name : 'x';
      expect([place.name, at]).toEqual([
        place.name,
        {
          query: is === 'query' || where.kind === 'unknown parameter' ? [`${named}=${mark}`] : [],
          path: is === 'path',
          header: is === 'header' ? [named.toLowerCase()] : [],
          body: ['body', 'unknown field', 'bytes'].includes(where.kind) ? 1 : 0,
        },
      ]);
      if (where.kind !== 'body' || where.field.name.endsWith('{a name}')) continue;
      const body = JSON.parse(String(options.body));
      const found = textPaths(body).filter(
        (one) => one.reduce((inner: any, part) => inner[part], body) === mark,
      );
      const name = where.field.name
        .replace(/<\w+>\./g, '.')
        .replace('{}', '.x')
        .replace(/^\./, '');
      expect(found.map(shown)).toEqual([name]);
    }
  });

  it('get one text each with every seed, and with others other ones', () => {
    const walked = (seed: number) => {
      const steps = stepsOf(operations, chooser(seed));
      return new Map(steps.map(({ place, kind }) => [place.name, kind]));
    };
    const [one, same, other] = [walked(1), walked(1), walked(2)];
    expect([...one.keys()].sort()).toEqual(places.map(({ name }) => name).sort());
    expect([...one]).toEqual([...same]);
    expect([...one].filter(([name, kind]) => other.get(name) === kind).length).toBeLessThan(one.size / 10);
  });

  it('hold many texts where a list may, packed or not, and what deletes comes last', () => {
    const steps = stepsOf(operations, chooser(1));
    const filled = steps.filter(({ times }) => times > 1);
    expect(filled.length).toBeGreaterThan(10);
    for (const step of filled) {
      const { options } = requestOf(step, own, 'http://127.0.0.1');
      const packed = options.body as Buffer;
      const read = { gzip: gunzipSync, br: brotliDecompressSync, none: (bytes: Buffer) => bytes };
      const text = read[step.coding ?? 'none'](packed).toString();
      expect(text.split(JSON.stringify(step.text)).length - 1).toBeGreaterThanOrEqual(step.times);
      expect(text.length).toBeLessThan(262_144 * 4);
    }
    const deleting = steps.map(({ place }) => place.operation.method === 'DELETE');
    expect(deleting.slice(deleting.indexOf(true))).not.toContain(false);
  });

  it('are all texts of a schema with all that schemas have', () => {
    const shapes: Record<string, JsonSchema> = {
      Leaf: {
        type: 'object',
        properties: { kind: { type: 'string', const: 'leaf' }, says: { type: 'string' } },
      },
      Tree: {
        type: 'object',
        properties: {
          kind: { type: 'string', const: 'tree' },
          inner: { type: 'array', items: { $ref: 'Node' } },
        },
        required: ['kind', 'inner'],
      },
      Node: { oneOf: [{ $ref: 'Leaf' }, { $ref: 'Tree' }] },
    };
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        name: { type: ['string', 'null'] },
        count: { type: 'integer' },
        deep: { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } },
        either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        node: { $ref: 'Node' },
        any: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: { type: 'string' } },
      },
    };
    const fields = textFields(schema, (reference) => shapes[reference] as JsonSchema);
    expect(
      Object.fromEntries(fields.map((field) => [field.name, field.holding('!', { name: 'n' })])),
    ).toEqual({
      name: { name: '!' },
      'deep.tags[]': { name: 'n', deep: { tags: ['!'] } },
      either: { name: 'n', either: '!' },
      'node<leaf>.kind': { name: 'n', node: { kind: '!' } },
      'node<leaf>.says': { name: 'n', node: { says: '!' } },
      'node<tree>.kind': { name: 'n', node: { kind: '!', inner: [] } },
      'any{}': { name: 'n', any: { x: '!' } },
      'any{a name}': { name: 'n', any: { '!': 'x' } },
    });
  });
});

describe('the frames that are fuzzed', () => {
  it('are all that the server takes, with each of their texts, from everybody who opens sockets', () => {
    const reached = new Set(framePlaces().map(({ name }) => name));
    const texts = [
      ...['<auth>.type', '<auth>.scheme', '<auth>.token', '<auth>.member', '<auth>.rooms[]', '<auth>.after'],
      ...['<typing>.room', '<typing>.nickname', '<read>.room', '<read>.message', '<unread>.rooms[]'],
      ...['<viewing>.room', '<ping>.type'],
    ];
    for (const caller of ['Token', 'Visitor', 'Session'])
      for (const text of texts) expect(reached).toContain(`a frame: ${text}, as ${caller}`);
  });

  it('hold the text', () => {
    for (const place of framePlaces()) expect(frameText(place, own, 'a-mark', 1)).toContain('a-mark');
  });
});
