import { describe, expect, it } from 'vitest';
import { connect, openSocket } from './realtime-client.ts';
import { beginConversation, isType, says, startConversation } from './realtime-parts.ts';
import { useServer } from './shared-server.ts';

const server = useServer();
const begin = () => beginConversation(server());

describe('the live channel', () => {
  it('shows each side what the other says, and resumes where a client left off', async () => {
    const { url, token, visitor, answer } = await begin();
    const ada = await visitor();
    const stranger = await visitor();
    const operator = await connect(url, { token });
    const page = await connect(url, { visitor: ada.token });
    const other = await connect(url, { visitor: stranger.token });

    await ada.say('Do you deliver?');
    const chat = await operator.find(({ type }) => type === 'chat.added');
    expect(chat).toMatchObject({ room: ada.room.uuid, data: { uuid: ada.room.uuid, messages: [] } });
    const seen = await operator.find(says('Do you deliver?'));
    expect(seen).toMatchObject({ room: ada.room.uuid, data: { room: ada.room, is_support_sender: false } });
    await answer(ada.room.uuid, 'We do.');
    await page.find(says('We do.'));

    const last = page.events().at(-1)?.id ?? '';
    await page.close();
    await answer(ada.room.uuid, 'On Sundays, too.');
    await stranger.say('Hello?');
    await answer(ada.room.uuid, 'Anything else?');
    const back = await connect(url, { visitor: ada.token }, { after: last });
    await back.find(says('Anything else?'));
    expect(back.after).toBe(last);
    await answer(ada.room.uuid, 'Goodbye');
    await back.find(says('Goodbye'));
    expect(back.events().map(({ data }) => data.body)).toEqual([
      'On Sundays, too.',
      'Anything else?',
      'Goodbye',
    ]);
    await other.find(says('Hello?'));
    expect(other.events()).toHaveLength(2);
  });

  it('gives ids that tell nobody how much happens on the server', async () => {
    const [{ url, visitor }, others] = [await begin(), await begin()];
    const [ada, stranger] = [await visitor(), await others.visitor()];
    const page = await connect(url, { visitor: ada.token });
    const said = async (text: string): Promise<string> => {
      await ada.say(text);
      return (await page.find(says(text))).id ?? '';
    };
    const ids = [page.after, await said('One'), await said('Two')];
    for (const text of ['Elsewhere', 'And again']) await stranger.say(text);
    ids.push(await said('Three'), (await connect(url, { visitor: ada.token })).after);
    for (const id of ids) {
      expect(id).toMatch(/^[\w-]{22}$/);
      // Neither what the log is called nor a place stands in them.
      const alike = ids.filter((other) => other !== id && other.slice(0, 6) === id.slice(0, 6));
      expect(alike).toEqual([]);
    }
    // One of an older version is unknown, and so is one that somebody has made up.
    for (const after of ['AbCd1234-1', 'A'.repeat(22)]) {
      await (await connect(url, { visitor: ada.token }, { after })).find(isType('resync'));
    }
  });

  it('says of each message whether a bot wrote it, and tells when a visitor has asked for a person', async () => {
    const { url, rest, widget, visitor, answer } = await begin();
    const nodes = [
      { id: 's', type: 'start', greeting: 'I am a bot.', next: 'm' },
      { id: 'm', type: 'question', text: 'Your name?', save_as: 'name' },
    ];
    await rest('POST', '/api/v1/workflows/', { name: 'Greeter', is_published: true, nodes });
    await rest('PATCH', `/api/v1/widgets/${widget}/`, { is_bot_use: true });
    const ada = await visitor();
    const page = await connect(url, { visitor: ada.token });
    await ada.say('Hello');
    expect(await page.find(says('I am a bot.'))).toMatchObject({ data: { is_bot: true } });
    expect(await page.find(says('Hello'))).toMatchObject({ data: { is_bot: false } });
    await ada.call('PATCH', `/api/v1/rooms/${ada.room.label}/`, { is_bot_use: false });
    await page.find(isType('room.updated', { is_bot_use: false }));
    await answer(ada.room.uuid, 'I am a person.');
    expect(await page.find(says('I am a person.'))).toMatchObject({ data: { is_bot: false } });
  });

  it('closes with 4401 what has no good credential, and with 1008 what is no frame', async () => {
    const { url, visitor } = await begin();
    const { token } = await visitor();
    for (const [frame, code] of [
      [{ type: 'auth', scheme: 'Visitor', token: 'nothing' }, 4401],
      [{ type: 'auth', scheme: 'Token', token: '0'.repeat(40) }, 4401],
      [{ type: 'auth', scheme: 'Token', token }, 4401],
      [{ type: 'auth', scheme: 'Visitor', token: `${token.slice(0, -1)}x` }, 4401],
      [{ type: 'ping' }, 4401],
      [{ type: 'nonsense' }, 1008],
      ['text', 1008],
      [null, 1008],
    ] as const) {
      const client = await openSocket(url);
      client.send(frame as never);
      expect([frame, (await client.closed).code]).toEqual([frame, code]);
    }
    const silent = await openSocket(url);
    expect((await silent.closed).code).toBe(4401);
  });

  it('says goodbye with 1001 when the server stops', async () => {
    const { url, token, server } = await startConversation();
    const operator = await connect(url, { token });
    const ended = server.end('SIGTERM');
    expect((await operator.closed).code).toBe(1001);
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  it('tells who types, until they stop, send nothing more, or go', async () => {
    const { url, token, visitor } = await begin();
    const ada = await visitor();
    const operator = await connect(url, { token });
    const page = await connect(url, { visitor: ada.token });
    const otherPage = await connect(url, { visitor: ada.token });
    // Before the first message the room exists for nobody but its visitor.
    page.send({ type: 'typing', is_typing: true });
    page.send({ type: 'typing', is_typing: false });
    await ada.say('Hello');
    await operator.find(says('Hello'));
    expect(operator.frames.filter(isType('typing'))).toEqual([]);

    for (let i = 0; i < 10; i++) page.send({ type: 'typing', room: ada.room.uuid, is_typing: true });
    const typing = await operator.find(isType('typing', { is_typing: true }));
    expect(typing).toEqual({
      type: 'typing',
      room: ada.room.uuid,
      data: { sender: 'visitor', nickname: '', is_typing: true },
    });
    await operator.find(isType('typing', { is_typing: false }));
    expect(operator.frames.filter(isType('typing', { is_typing: true })).length).toBeLessThan(3);

    operator.send({ type: 'typing', room: ada.room.uuid, is_typing: true, nickname: 'Grace' });
    const person = await page.find(isType('typing'));
    expect(person.data).toEqual({ sender: 'person', nickname: 'Grace', is_typing: true });
    operator.socket.terminate();
    await page.find(isType('typing', { is_typing: false }));
    expect(operator.frames.filter(isType('typing', { sender: 'person' }))).toEqual([]);
    await otherPage.find(isType('typing', { is_typing: false }));
    expect(otherPage.frames.filter(isType('typing', { sender: 'visitor' }))).toEqual([]);
  });

  it('keeps how far each side has read, and never lets it go back', async () => {
    const { url, token, visitor, answer } = await begin();
    const ada = await visitor();
    const first = await ada.say('One');
    const second = await ada.say('Two');
    const operator = await connect(url, { token });
    const page = await connect(url, { visitor: ada.token });
    operator.send({ type: 'read', room: ada.room.uuid, message: second });
    const mark = await page.find(isType('read'));
    expect(mark).toMatchObject({ room: ada.room.uuid, data: { sender: 'person', message: second } });
    operator.send({ type: 'read', room: ada.room.uuid, message: first });
    const reply = await answer(ada.room.uuid, 'Three');
    page.send({ type: 'read', message: reply });
    await operator.find(isType('read', { sender: 'visitor', message: reply }));
    expect(page.frames.filter(isType('read', { message: first }))).toEqual([]);

    const unread = async (client: typeof page, rooms?: string[]) => {
      client.frames.length = 0;
      client.send({ type: 'unread', ...(rooms && { rooms }) });
      return (await client.find(isType('unread'))).data.map(
        ({ room, unread }: { room: string; unread: number }) => ({ room, unread }),
      );
    };
    const other = await visitor();
    const room = ada.room.uuid;
    expect(await unread(page)).toEqual([{ room, unread: 0 }]);
    await answer(room, 'Four');
    await answer(room, 'Five');
    expect(await unread(page)).toEqual([{ room, unread: 2 }]);
    expect(await unread(operator, [room, other.room.uuid])).toEqual([{ room, unread: 0 }]);
    await ada.say('Six');
    expect(await unread(page)).toEqual([{ room, unread: 0 }]);
    expect(await unread(operator, [room])).toEqual([{ room, unread: 1 }]);
    // A page that is opened again learns what was read before.
    const again = await connect(url, { visitor: ada.token });
    again.send({ type: 'unread' });
    const [state] = (await again.find(isType('unread'))).data;
    expect(state?.marks).toHaveLength(2);
    expect(state?.marks).toContainEqual(mark.data);
    expect(state?.marks).toContainEqual(expect.objectContaining({ sender: 'visitor', message: reply }));
  });

  it('tells who is there, to those whom it concerns', async () => {
    const { url, token, visitor } = await begin();
    const [ada, shy] = [await visitor(), await visitor()];
    await ada.say('Hello');
    const page = await connect(url, { visitor: ada.token });
    expect((await page.find(isType('presence'))).data).toEqual({ sender: 'person', online: false });
    const silent = await connect(url, { visitor: shy.token });
    const operator = await connect(url, { token });
    await page.find(isType('presence', { sender: 'person', online: true }));
    await silent.find(isType('presence', { sender: 'person', online: true }));
    const there = await operator.find(isType('presence', { sender: 'visitor' }));
    expect(there).toEqual({
      type: 'presence',
      room: ada.room.uuid,
      data: { sender: 'visitor', online: true },
    });
    // A room that does not exist yet is told of when it does.
    const ofShy = (online: boolean) => (frame: any) =>
      frame.type === 'presence' && frame.room === shy.room.uuid && frame.data.online === online;
    expect(operator.frames.filter(ofShy(true))).toEqual([]);
    await shy.say('Hello, too');
    await operator.find(ofShy(true));
    await silent.close();
    await operator.find(ofShy(false));
    expect(page.frames.filter(isType('presence', { sender: 'visitor' }))).toEqual([]);
    await operator.close();
    await page.find(
      (frame) => frame.type === 'presence' && page.frames.indexOf(frame) > 1 && !frame.data.online,
    );
  });

  it('ends what names a room of somebody else', async () => {
    const { url, token, visitor } = await begin();
    const ada = await visitor();
    const other = await visitor();
    await other.say('Hello');
    for (const frame of [
      { type: 'typing', room: other.room.uuid, is_typing: true },
      { type: 'read', room: other.room.uuid, message: other.room.uuid },
    ]) {
      const page = await connect(url, { visitor: ada.token });
      page.send(frame);
      expect(await page.closed).toEqual({ code: 1008, reason: 'no such room' });
    }
    const operator = await connect(url, { token });
    operator.send({ type: 'typing', room: ada.room.uuid, is_typing: true });
    expect((await operator.closed).code).toBe(1008);
  });
});
