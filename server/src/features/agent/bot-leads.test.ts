import { expect, it } from 'vitest';
import { testAgent } from '../../../test/agent.ts';
import { testApp } from '../../../test/app.ts';

/** How many leads a bot takes in one conversation. */

const app = testApp();

const EACH = 40;
const leads = Array.from({ length: EACH }, (_, n) => ({
  id: `l${n}`,
  type: 'lead',
  fields: { nickname: `{{name}} ${n}` },
  next: n + 1 < EACH ? `l${n + 1}` : 'm',
}));
const nodes = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'q' },
  { id: 'q', type: 'question', text: 'Your name?', save_as: 'name', next: 'l0' },
  ...leads,
  { id: 'm', type: 'message', text: 'Thank you.', next: 'q' },
];

it('takes no more than 100 in a conversation, and goes on', async () => {
  const agent = await testAgent(app, nodes);
  const [flooded, other] = [await agent.open(), await agent.open()];
  const left = async (name: string) =>
    (await agent.rest('GET', 'leads/?limit=1000')).json.filter(({ nickname }: any) =>
      nickname.startsWith(`${name} `),
    ).length;
  const say = (conversation: string, name: string) => agent.talk(conversation, name);
  expect([await say(flooded, 'Ada'), await say(flooded, 'Bob')]).toHaveLength(2);
  expect(await say(flooded, 'Cy')).toEqual([['Thank you.', 'Your name?'], 'active']);
  expect(await say(flooded, 'Di')).toEqual([['Thank you.', 'Your name?'], 'active']);
  expect([await left('Ada'), await left('Bob'), await left('Cy'), await left('Di')]).toEqual([40, 40, 20, 0]);
  await say(other, 'Eve');
  expect(await left('Eve')).toBe(40);
});
