import { expect, it } from 'vitest';
import { connect } from './realtime-client.ts';
import { isType, says, startConversation } from './realtime-parts.ts';

/** What programs may say on the live channel. */

it('lets a program say what others are told only where it may write to conversations', async () => {
  const { url, rest, visitor } = await startConversation();
  const ada = await visitor();
  const message = await ada.say('Do you deliver?');
  const room = ada.room.uuid;
  const page = await connect(url, { visitor: ada.token });
  const programOf = async (...scopes: string[]) => {
    const { json } = await rest('POST', '/api/v1/tokens/', { name: 'A program', scopes });
    return connect(url, { token: json.token });
  };

  for (const frame of [
    { type: 'read', room, message },
    { type: 'typing', room, is_typing: true },
  ] as const) {
    const reading = await programOf('conversations:read');
    // What it asks for is told to nobody else.
    reading.send({ type: 'unread', rooms: [room] });
    const { data } = await reading.find(isType('unread'));
    expect(data).toMatchObject([{ room, unread: 1 }]);
    reading.send(frame);
    const reason = 'only who may write to conversations says so';
    expect(await reading.closed).toEqual({ code: 1008, reason });
  }
  await ada.say('Hello?');
  await page.find(says('Hello?'));
  expect(page.frames.filter(({ type }) => type === 'read' || type === 'typing')).toEqual([]);

  const writing = await programOf('conversations:write');
  writing.send({ type: 'typing', room, is_typing: true, nickname: 'Help desk' });
  await page.find(isType('typing', { sender: 'person', nickname: 'Help desk', is_typing: true }));
  writing.send({ type: 'read', room, message });
  await page.find(isType('read', { sender: 'person', message }));
});
