import { expect, it, onTestFinished, vi } from 'vitest';
import { testAgent } from './agent.ts';
import { testApp } from './app.ts';
import { PATIENCE } from './mailed-account.ts';

const app = testApp();

const FLOW = [
  { id: 's', type: 'start', greeting: 'Welcome', next: 'h' },
  { id: 'h', type: 'handoff', text: 'A colleague comes.' },
];

it.each([3_000, 86_400_000])(
  'a visitor of the agent API is heard after a member, %i ms behind',
  async (behind) => {
    const agent = await testAgent(app, FLOW);
    const conversation = await agent.open();
    await agent.say(conversation, 'Help');
    const uuid =
      (await app.services.models.rooms.findOne({ 'bot.conversation': conversation }).lean())?._id ?? '';
    const answer = { body: 'What is it?', room: { uuid }, is_support_sender: true };
    expect((await agent.rest('POST', 'messages/', answer)).status).toBe(201);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - behind });
    onTestFinished(() => void vi.useRealTimers());
    const said = await agent.say(conversation, 'My parcel is lost');
    vi.useRealTimers();
    expect(said.status, said.text).toBe(200);
    await vi.waitFor(async () => {
      const { json } = await agent.rest('GET', `conversations/${uuid}/`);
      expect([json.waiting_on, json.last_message.body]).toEqual(['us', 'My parcel is lost']);
    }, PATIENCE);
  },
);
