import type { WorkflowNode } from '@parlor/shared';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversation, start } from '../../../test/flow.ts';
import { graphProblems } from './problems.ts';
import type { Ask } from './turn.ts';

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

it('takes 100 leads in a conversation, and goes on without more, with a fault that is logged', async () => {
  const fields = { nickname: '{{name}}' };
  const leads = Array.from({ length: 60 }, (_, n) => ({
    id: `l${n}`,
    type: 'lead',
    fields,
    next: n === 59 ? 'q' : `l${n + 1}`,
  }));
  const question = { id: 'q', type: 'question', text: 'And?', save_as: 'name', next: 'l0' };
  const talk = conversation([start('q'), question, ...leads]);
  await talk.start();
  const first = await talk.say('Ada');
  expect([first.leads.length, first.fault]).toEqual([60, undefined]);
  const second = await talk.say('Bob');
  expect(second).toMatchObject({ said: ['And?'], position: { status: 'active', node: 'q' } });
  expect(second.leads).toHaveLength(40);
  expect(second.fault).toBe('node "l40": the bot takes no more than 100 leads in a conversation');
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
