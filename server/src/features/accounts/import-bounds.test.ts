import { beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import type { Fixtures } from '../../../test/fixtures.ts';
import { changed, type Line, movedAccounts } from '../../../test/moved-accounts.ts';
import { mapCollections } from '../../data-map.ts';
import { ANYTHING } from '../../database/stored-shapes.ts';
import { isDerived } from './account-copy.ts';
import { shapeOf } from './whole-objects.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });
const { moved, read } = movedAccounts(app);

const MARKS = `a${'\u0315\u0300'.repeat(30)}`;

/** The nodes of a graph with others. */
const withNodes = (change: (nodes: any[]) => unknown) => (one: any) => {
  one.nodes = JSON.stringify(change(JSON.parse(one.nodes)));
};
const node = (more: object) => withNodes((nodes) => [...nodes, { id: 'more', ...more }]);

const bot = (change: (state: any) => void) => [(one: any) => change(one.bot), (one: any) => one.bot] as const;

const pending = (more: object) => ({
  ...{ turn: 't', at: { $date: '2026-01-01T00:00:00Z' }, messages: [], leads: [] },
  ...more,
});

/** A kind, what is written into one of it, which one, and what is said of it. */
type Case = [
  kind: string,
  change: (document: any) => void,
  said: string,
  fits?: ((document: any) => boolean) | undefined,
];

const botCase = (change: (state: any) => void, said: string): Case => {
  const [apply, fits] = bot(change);
  return ['rooms', apply, said, fits];
};

const TOO_MANY_MARKS = 'Ensure this field has no more than 30 combining marks in a row.';
const longest = (max: number) => `Ensure this field has no more than ${max} characters.`;

const CASES: Case[] = [
  ['messages', (one) => (one.body = MARKS), `body: ${TOO_MANY_MARKS}`],
  ['messages', (one) => (one.body = 'x'.repeat(10_001)), `body: ${longest(10_000)}`],
  ['messages', (one) => (one.body = 'a\0'), 'body: Null characters are not allowed.'],
  ['messages', (one) => (one.body = '\ud800'), 'body: Lone surrogates are not allowed.'],
  ['messages', (one) => (one.nickname = MARKS), `nickname: ${TOO_MANY_MARKS}`],
  ['leads', (one) => (one.nickname = 'x'.repeat(151)), `nickname: ${longest(150)}`],
  ['leads', (one) => (one.email = 'a\n@example.com'), 'email: Enter a valid email address.'],
  ['notes', (one) => (one.body = MARKS), `body: ${TOO_MANY_MARKS}`],
  ['keywords', (one) => (one.keyword = MARKS), `keyword: ${TOO_MANY_MARKS}`],
  ['keywords', (one) => (one.keyword = 'x'.repeat(12_000_000)), `keyword: ${longest(100)}`],
  ['keywords', (one) => (one.folded = 'x'.repeat(101)), `folded: ${longest(100)}`],
  ['rooms', (one) => (one.name = 'x'.repeat(201)), `name: ${longest(200)}`],
  ['rooms', (one) => (one.label = 'a/b\nc'), 'label: Enter a valid "slug"'],
  ['rooms', (one) => (one.rating = 7), 'rating: '],
  ['inbox', (one) => (one.rating = 70_000_000), 'rating: '],
  ['inbox', (one) => (one.rating = 2.5), 'rating: '],
  ['inbox', (one) => (one.status = 'weird'), 'status: "weird" is not a valid choice.'],
  ['inbox', (one) => (one.status = 'a\nb'), 'status: "a b" is not a valid choice.'],
  ['inbox', (one) => (one.tags = Array(21).fill('a')), 'tags: '],
  ['inbox', (one) => (one.tags = ['x'.repeat(41)]), `tags.0: ${longest(40)}`],
  ['inbox', (one) => (one.version = -1e308), 'version: '],
  ['graphs', (one) => (one.nodes = 'not json'), 'nodes: Not valid JSON.'],
  ['graphs', (one) => (one.nodes = '5'), 'nodes: Expected a list of items'],
  ['graphs', node({ type: 'message', text: 5 }), 'nodes.2.text: Not a valid string.'],
  ['graphs', node({ type: 'llm', max_tokens: -1e308 }), 'nodes.2.max_tokens: '],
  [
    'graphs',
    node({
      type: 'condition',
      branches: [{ variable: 'a', operator: 'matches', value: '(((a{30}){30}){30}){30}', next: 'ask' }],
    }),
    'nodes.2.branches.0.value: too complicated',
  ],
  [
    'graphs',
    node({ type: 'faq', entries: [{ questions: [MARKS], answer: 'a' }] }),
    `nodes.2.entries.0.questions.0: ${TOO_MANY_MARKS}`,
  ],
  [
    'graphs',
    node({ type: 'condition', branches: [{ variable: 'a', operator: 'equals', value: MARKS }] }),
    'nodes.2.branches.0.value: ',
  ],
  ['widgets', (one) => (one.popup_timeout = 1e308), 'popup_timeout: '],
  ['webhooks', (one) => (one.event = 'weird'), 'event: '],
  ['webhooks', (one) => (one.previous_sealed = 'x'), 'previous_sealed: '],
  ['deliveries', (one) => (one.event = 'weird'), 'event: '],
  ['audit', (one) => (one.actor.name = 'x'.repeat(151)), `actor.name: ${longest(150)}`],
  ['audit', (one) => (one.actor.more = [MARKS]), 'actor.more: This value is out of bounds.'],
  ['audit', (one) => (one.actor.more = 'x'.repeat(17 * 1024 * 1024)), 'actor.more: '],
  ['avatars', (one) => (one.bytes.$binary.base64 = 'A'.repeat(200_000)), 'bytes: '],
  ['members', (one) => (one.role = 'king'), 'role: '],
  ['tokens', (one) => (one.scopes = ['all']), 'scopes.0: '],
  ['sessions', (one) => (one.page.url = 'x'.repeat(2_001)), `page.url: ${longest(2_000)}`],
  ['account', (one) => (one.name = 'x'.repeat(101)), `name: ${longest(100)}`],
  ['account', (one) => (one.totp_step = -1), 'totp_step: '],
  botCase((state) => (state.status = 'weird'), 'bot.status: '),
  botCase((state) => (state.asked = -1e308), 'bot.asked: '),
  botCase((state) => (state.variables = [['a', MARKS]]), `bot.variables.0.1: ${TOO_MANY_MARKS}`),
  botCase(
    (state) => (state.pending = pending({ leads: [{ _id: 'a', fields: { nickname: MARKS } }] })),
    `bot.pending.leads.0.fields.nickname: ${TOO_MANY_MARKS}`,
  ),
];

describe('an import of what no route would have taken', () => {
  let fixtures: Fixtures;
  let id = '';
  let lines: Line[] = [];

  beforeAll(async () => {
    ({ fixtures, id, lines } = await moved());
  });

  it('is refused in one line that says the line and the field', async () => {
    for (const [kind, change, said, fits] of CASES) {
      const file = changed(lines, kind, change, fits);
      const line = 1 + file.findIndex((one, index) => JSON.stringify(one) !== JSON.stringify(lines[index]));
      const refused = await read(file).catch(String);
      const expected = `ImportError: line ${line}: an object without a proper ${said}`;
      expect([kind, refused.slice(0, expected.length)]).toEqual([kind, expected]);
      expect(refused).toMatch(/^.{1,300}$/);
    }
    const left = async () =>
      (await documentsWith(app.services, id)).filter((one) => !one.startsWith('accounts '));
    await expect.poll(left).toEqual([]);
    expect(await read(lines)).toBe(fixtures.username);
  });
});

/** A text longer than anything that is stored, and numbers that nothing counts to. */
const LONG = 'x'.repeat(12_000_000);
const UNBOUNDED = [LONG, 1e308, -1e308];

/** What the API refuses in any text. */
const UNFIT = [MARKS, 'a\0', '\ud800'];

/** What another server wrote stays as it came: `KEPT_OF_BODY_BYTES` of an answer, and why there was none. */
const FOREIGN = ['deliveries.attempts.response', 'deliveries.attempts.error'];

/** The paths in a schema at which a value has no bounds. */
const unboundedIn = (schema: z.core.$ZodType, path: string): string[] => {
  const { def } = schema._zod as { def: any };
  const takes = (value: unknown) => (schema as z.ZodType).safeParse(value).success;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return unboundedIn(def.innerType, path);
    case 'pipe':
      return unboundedIn(def.in, path);
    case 'union':
      return def.options.flatMap((one: z.core.$ZodType) => unboundedIn(one, path));
    case 'tuple':
      return def.items.flatMap((one: z.core.$ZodType) => unboundedIn(one, path));
    case 'array': {
      const hasEnd = def.checks?.some((one: any) => one._zod.def.check === 'max_length') ?? false;
      return [...(hasEnd ? [] : [`${path} of any length`]), ...unboundedIn(def.element, path)];
    }
    case 'object':
      return [
        ...(def.catchall === ANYTHING ? [] : [`${path} with anything in it`]),
        ...Object.entries(def.shape as z.core.$ZodShape).flatMap(([name, one]) =>
          unboundedIn(one, `${path}.${name}`),
        ),
      ];
    case 'boolean':
    case 'date':
    case 'enum':
    case 'literal':
      return [];
    default: {
      const unfit = FOREIGN.includes(path) ? [] : UNFIT;
      return [...UNBOUNDED, ...unfit].filter(takes).map((value) => `${path} ${String(value).slice(0, 9)}`);
    }
  }
};

describe('the map of data', () => {
  const copied = () =>
    mapCollections(app.services.models).filter((one) => one.data.copied || one.name === 'accounts');

  it('bounds each text, number and list of what is copied', () => {
    const unbounded = copied().flatMap((collection) =>
      Object.values(collection.data.fields)
        .flat()
        .filter((name) => !isDerived(name))
        .flatMap((name) => {
          const type = collection.model.schema.path(name)?.instance ?? '';
          if (['Date', 'Boolean'].includes(type)) return [];
          const shape = shapeOf(collection, name);
          const path = `${collection.name}.${name}`;
          return shape ? unboundedIn(shape, path) : [`${path} of no shape`];
        }),
    );
    expect(unbounded).toEqual([]);
  });

  it('says itself what a field of people, or a secret, may be: no id by default', () => {
    const byDefault = copied().flatMap(({ name, data, model }) => {
      const { plain: _, keyed: __, ...others } = data.fields;
      return Object.values(others)
        .flat()
        .filter((field) => !isDerived(field) && data.shapes?.[field] === undefined)
        .filter((field) => !['Date', 'Boolean'].includes(model.schema.path(field)?.instance ?? ''))
        .map((field) => `${name}.${field}`);
    });
    expect(byDefault).toEqual([]);
  });
});
