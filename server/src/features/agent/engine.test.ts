import { describe, expect, it } from 'vitest';
import { conversation, end, oneTurn, start } from '../../../test/flow.ts';
import type { Ask } from './turn.ts';

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

  it("condition: a pattern that can't be compiled holds for nothing, with a fault that is logged", async () => {
    const branches = [{ variable: 'plan', operator: 'matches', value: '(a', next: 'c' }];
    const nodes = [start('c'), { id: 'c', type: 'condition', branches, else: 'e' }, end];
    const { said, position, fault } = await conversation(nodes, { metadata: { plan: '(a' } }).start();
    expect([said.at(-1), position.status]).toEqual(['Bye', 'ended']);
    expect(fault).toMatch(/^node "c": a pattern can't be compiled: ./);
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
