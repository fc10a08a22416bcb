import type { WorkflowNode } from '@parlor/shared';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Position } from '../rooms/bot-state.ts';
import { runFlow } from './engine.ts';
import { Graph } from './graph.ts';
import { graphProblems } from './problems.ts';
import { type Ask, Turn } from './turn.ts';

const noModel: Ask = () => Promise.reject(new Error('none'));

/** A conversation with a graph, without a database. */
const conversation = (nodes: readonly object[], { metadata = {}, ask = noModel } = {}) => {
  const graph = new Graph(nodes as WorkflowNode[]);
  let position: Position = {
    status: 'active',
    node: graph.start?.id ?? '',
    asked: 0,
    variables: Object.entries(metadata),
  };
  const take = async (input: string | undefined) => {
    const turn = new Turn(graph, position, { input, ask, lastSentAt: new Date(0), listener: undefined });
    const outcome = await runFlow(turn, position.node);
    position = outcome.position;
    return { said: turn.said.map(({ text }) => text), leads: turn.leads, ...outcome };
  };
  return { start: () => take(undefined), say: take };
};

const start = (next: string) => ({ id: 's', type: 'start', greeting: 'Hello', next });
const end = { id: 'e', type: 'end', text: 'Bye' };

/** What a flow says to one message after the start. */
const oneTurn = async (nodes: object[], input: string, more = {}) => {
  const talk = conversation(nodes, more);
  await talk.start();
  const { said, position } = await talk.say(input);
  return [said, position.status];
};

it('keeps a limited number of bytes of answers', async () => {
  const nodes = Array.from({ length: 120 }, (_, n) => ({
    id: `q${n}`,
    type: 'question',
    text: '?',
    save_as: `answer-${n}`,
    next: n === 119 ? 'e' : `q${n + 1}`,
  }));
  const talk = conversation([start('q0'), ...nodes, { id: 'e', type: 'end', text: '{{answer-0}}' }]);
  let { said, position } = await talk.start();
  for (const _ of nodes) ({ said, position } = await talk.say('语'.repeat(2_000)));
  expect([said, position.status]).toEqual([['语'.repeat(2_000)], 'ended']);
  const bytes = Buffer.byteLength(position.variables.flat().join(''));
  expect(bytes).toBeGreaterThan(200_000);
  expect(bytes).toBeLessThanOrEqual(262_144);
});

describe('the node types', () => {
  it('start, message, end: say their texts', async () => {
    const talk = conversation(
      [start('m'), { id: 'm', type: 'message', text: 'Hi {{name}}', next: 'e' }, end],
      {
        metadata: { name: 'Ada' },
      },
    );
    const { said, position } = await talk.start();
    expect(said).toEqual(['Hello', 'Hi Ada', 'Bye']);
    expect(position.status).toBe('ended');
  });

  it('a node without next ends the flow', async () => {
    const { position } = await conversation([{ id: 's', type: 'start' }]).start();
    expect(position).toMatchObject({ status: 'ended', node: '' });
  });

  it('an edge to nowhere ends the flow, as a fault that is logged', async () => {
    const { position, fault } = await conversation([start('nowhere')]).start();
    expect(position.status).toBe('ended');
    expect(fault).toContain('nowhere');
  });

  it('question: asks three times in all, then goes to on_failure with nothing kept', async () => {
    const question = { id: 'q', type: 'question', text: 'Mail?', save_as: 'mail', validate: 'email' };
    const nodes = [
      start('q'),
      { ...question, retry_text: 'A mail, please.', next: 'e', on_failure: 'f' },
      { ...end, text: 'Bye {{mail}}' },
      { id: 'f', type: 'message', text: 'Never mind{{mail}}.' },
    ];
    const talk = conversation(nodes);
    expect((await talk.start()).said).toEqual(['Hello', 'Mail?']);
    expect((await talk.say('no')).said).toEqual(['A mail, please.']);
    expect((await talk.say('no')).said).toEqual(['A mail, please.']);
    expect((await talk.say('no')).said).toEqual(['Never mind.']);
    const other = conversation(nodes);
    await other.start();
    await other.say('no');
    expect((await other.say(' ada@example.com ')).said).toEqual(['Bye ada@example.com']);
  });

  it('question: without on_failure and retry_text goes to next and asks the same', async () => {
    const talk = conversation([
      start('q'),
      { id: 'q', type: 'question', text: 'Mail?', validate: 'email', max_retries: 1, next: 'e' },
      end,
    ]);
    await talk.start();
    expect((await talk.say('no')).said).toEqual(['Mail?']);
    expect((await talk.say('no')).said).toEqual(['Bye']);
  });

  it.each([
    ['text', ' anything ', 'anything'],
    ['email', 'ada@example.com', 'ada@example.com'],
    ['email', 'ada at home', undefined],
    ['phone', '+49 (30) 123-45', '+49 (30) 123-45'],
    ['phone', 'call me', undefined],
    ['phone', '+-', undefined],
    ['number', '1,5', '1.5'],
    ['number', '-12', '-12'],
    ['number', '１２', '12'],
    ['number', '1e999', undefined],
    ['number', 'ten', undefined],
    ['url', 'example.com/x', 'https://example.com/x'],
    ['url', 'http://example.com', 'http://example.com'],
    ['url', 'javascript:alert(1)', undefined],
    ['url', 'two words', undefined],
    ['choice', 'É', 'é'],
    ['choice', 'blue', 'Blue'],
    ['choice', 'red', undefined],
  ])('question: %s %j is kept as %j', async (validate, input, kept) => {
    const nodes = [
      start('q'),
      { id: 'q', type: 'question', text: '?', save_as: 'a', validate, choices: ['Blue', 'é'], next: 'e' },
      { ...end, text: '{{a}}' },
    ];
    expect(await oneTurn(nodes, input)).toEqual(kept === undefined ? [['?'], 'active'] : [[kept], 'ended']);
  });

  it.each([
    ['equals', 'GOLD', true],
    ['equals', 'silver', false],
    ['contains', 'ol', true],
    ['contains', 'x', false],
    ['matches', '^g.+d$', true],
    ['matches', '^d', false],
    ['exists', '', true],
    ['greater', 1, false],
  ])('condition: gold %s %j is %s', async (operator, value, holds) => {
    const branches = [{ variable: 'plan', operator, value, next: 'y' }];
    const nodes = [
      start('c'),
      { id: 'c', type: 'condition', branches, else: 'n' },
      { id: 'y', type: 'message', text: 'yes' },
      { id: 'n', type: 'message', text: 'no' },
    ];
    const { said } = await conversation(nodes, {
      metadata: { plan: 'Göld'.replace('ö', 'o').toLowerCase() },
    }).start();
    expect(said.at(-1)).toBe(holds ? 'yes' : 'no');
  });

  it.each([
    ['7', 'greater', 5, true],
    ['7', 'less', '7.5', true],
    ['', 'less', 5, false],
    ['', 'exists', null, false],
  ])('condition: %j %s %j is %s', async (known, operator, value, holds) => {
    const branches = [{ variable: 'n', operator, value, next: 'y' }];
    const nodes = [
      start('c'),
      { id: 'c', type: 'condition', branches, next: 'e' },
      end,
      { ...end, id: 'y', text: 'yes' },
    ];
    const { said } = await conversation(nodes, { metadata: { n: known } }).start();
    expect(said.at(-1)).toBe(holds ? 'yes' : 'Bye');
  });

  it('faq: answers and comes back to itself, or goes to on_miss with the question', async () => {
    const asked: string[] = [];
    const ask: Ask = async (_, { input }) => {
      asked.push(input);
      return 'I looked it up.';
    };
    const talk = conversation(
      [
        start('f'),
        {
          id: 'f',
          type: 'faq',
          entries: [{ questions: ['Do you deliver?'], answer: 'Yes, {{name}}.' }],
          on_miss: 'l',
        },
        { id: 'l', type: 'llm', next: 'f' },
      ],
      { metadata: { name: 'Ada' }, ask },
    );
    await talk.start();
    expect((await talk.say('do you DELIVER')).said).toEqual(['Yes, Ada.']);
    expect((await talk.say('What about penguins')).said).toEqual(['I looked it up.']);
    expect(asked).toEqual(['What about penguins']);
    expect((await talk.say('Do you deliver?')).said).toEqual(['Yes, Ada.']);
  });

  it('lead: saves what is well-formed of it', async () => {
    const fields = { nickname: '{{name}}', email: '{{mail}}', phone_number: '12 34' };
    const nodes = [start('l'), { id: 'l', type: 'lead', fields, next: 'e' }, end];
    const { leads } = await conversation(nodes, { metadata: { name: 'Ada', mail: 'nobody' } }).start();
    expect(leads).toEqual([{ nickname: 'Ada', email: '', phone_number: '12 34' }]);
    const none = [start('l'), { id: 'l', type: 'lead', fields: { email: '{{mail}}' } }];
    expect((await conversation(none).start()).leads).toEqual([]);
  });

  it('handoff: says its text and stops', async () => {
    const { said, position } = await conversation([
      start('h'),
      { id: 'h', type: 'handoff', text: 'Wait' },
    ]).start();
    expect([said, position.status]).toEqual([['Hello', 'Wait'], 'handoff']);
  });
});

describe('templates', () => {
  it.each([
    ['{{a}} {{ a }} {{b.c}} {{$d}}', { a: '1', 'b.c': '2', $d: '3' }, '1 1 2 3'],
    ['[{{unknown}}]', {}, '[]'],
    ['{{a}}', { a: '{{b}} $& $1', b: 'no' }, '{{b}} $& $1'],
    ['{{constructor}}{{__proto__}}x', {}, 'x'],
    ['{{{{a}}}} {a} {{}}', { a: '1' }, '{{1}} {a} {{}}'],
  ])('%s', async (text, metadata, filled) => {
    const { said } = await conversation([{ id: 's', type: 'start', greeting: text }], { metadata }).start();
    expect(said).toEqual([filled]);
  });

  it('makes no message longer than a message may be, and none that is blank', async () => {
    const greeting = '{{a}}'.repeat(100);
    const long = await conversation([{ id: 's', type: 'start', greeting }], {
      metadata: { a: '😀'.repeat(500) },
    }).start();
    expect([...(long.said[0] ?? '')]).toHaveLength(10_000);
    expect((await conversation([{ id: 's', type: 'start', greeting }]).start()).said).toEqual([]);
  });
});

describe('no graph can hang a turn', () => {
  it('stops after 100 steps, with a fault that is logged', async () => {
    const { said, fault } = await conversation([
      start('a'),
      { id: 'a', type: 'message', text: 'a', next: 'b' },
      { id: 'b', type: 'message', text: 'b', next: 'a' },
    ]).start();
    expect(said).toHaveLength(100);
    expect(fault).toContain('100 steps');
  });

  it('stops after a second of work, with a fault that is logged, and lets others work meanwhile', async () => {
    // Each pattern is another one: what it has learnt of a text makes its next search a short one.
    const slow = (node: number) => (_: unknown, index: number) => ({
      variable: 'a',
      operator: 'matches',
      value: `(a?){190}a{190}[^a${String.fromCodePoint(0x4e00 + 50 * node + index)}]`,
      next: null,
    });
    const nodes = [0, 1, 2, 3].map((node) => ({
      id: `c${node}`,
      type: 'condition',
      branches: Array.from({ length: 50 }, slow(node)),
      else: `c${(node + 1) % 4}`,
    }));
    const talk = conversation([{ id: 's', type: 'start', next: 'c0' }, ...nodes], {
      metadata: { a: 'a'.repeat(2_000) },
    });
    let turns = 0;
    const others = setInterval(() => turns++, 1);
    const { fault, position } = await talk.start();
    clearInterval(others);
    expect(fault).toBe('stopped after 1000 ms of work');
    expect(position).toMatchObject({ status: 'active', node: expect.stringMatching(/^c\d$/) });
    // How many turns fit into it is the machine's; without slices there is none.
    expect(turns).toBeGreaterThan(0);
  });

  const ids = Array.from({ length: 12 }, (_, i) => `n${i}`);
  const edge = fc.constantFrom(...ids, ...ids, 'nowhere', null, undefined);
  const word = fc.constantFrom('yes', 'no', '5', 'ada@example.com', '{{a}}', '');
  const node = (id: string) =>
    fc.oneof(
      fc.record({ id: fc.constant(id), type: fc.constant('message'), text: word, next: edge }),
      fc.record({
        id: fc.constant(id),
        type: fc.constant('question'),
        text: fc.constant('{{a}}?'),
        save_as: fc.constantFrom('a', 'b', undefined),
        validate: fc.constantFrom('text', 'email', 'number', 'url', 'phone', undefined),
        max_retries: fc.constantFrom(0, 1, undefined),
        on_failure: edge,
        next: edge,
      }),
      fc.record({
        id: fc.constant(id),
        type: fc.constant('condition'),
        branches: fc.array(
          fc.record({
            variable: fc.constantFrom('a', 'b'),
            operator: fc.constantFrom('equals', 'contains', 'matches', 'exists', 'greater', 'less'),
            value: fc.constantFrom('yes', '(a+)+$', '5', ''),
            next: edge,
          }),
          { maxLength: 3 },
        ),
        else: edge,
        next: edge,
      }),
      fc.record({
        id: fc.constant(id),
        type: fc.constant('faq'),
        entries: fc.constant([{ questions: ['yes or no'], answer: 'Maybe {{a}}' }]),
        on_miss: edge,
        next: edge,
      }),
      fc.record({ id: fc.constant(id), type: fc.constant('llm'), on_error: edge, next: edge }),
      fc.record({
        id: fc.constant(id),
        type: fc.constant('lead'),
        fields: fc.constant({ nickname: '{{a}}' }),
        next: edge,
      }),
      fc.record({
        id: fc.constant(id),
        type: fc.constantFrom('handoff', 'end', 'start'),
        text: word,
        next: edge,
      }),
    );
  const graph = fc.tuple(
    fc.record({ id: fc.constant('s'), type: fc.constant('start'), greeting: word, next: edge }),
    ...ids.map(node),
  );

  it('2 000 random graphs walked with random answers end in a bounded number of steps', {
    timeout: 60_000,
  }, async () => {
    let endless = 0;
    await fc.assert(
      fc.asyncProperty(
        graph,
        fc.array(word, { maxLength: 8 }),
        fc.boolean(),
        async (nodes, words, answers) => {
          let asked = 0;
          const ask: Ask = async () => {
            asked += 1;
            if (!answers) throw new Error('none');
            return 'Hm';
          };
          const talk = conversation(nodes, { ask });
          let turn = await talk.start();
          for (const input of words) {
            if (turn.position.status !== 'active') break;
            const before = asked;
            turn = await talk.say(input);
            // Each faq and llm node takes one message a turn.
            expect(asked - before).toBeLessThanOrEqual(ids.length);
          }
          expect(turn.said.length).toBeLessThanOrEqual(100);
          if (turn.fault?.includes('steps')) {
            endless += 1;
            // What runs for ever was told beforehand.
            expect(graphProblems(nodes as WorkflowNode[]).join()).toContain('has no stop');
          }
        },
      ),
      { numRuns: 2_000, seed: 20_261_121 },
    );
    expect(endless).toBeGreaterThan(10);
  });
});
