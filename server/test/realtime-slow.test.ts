import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { connect } from './realtime-client.ts';
import { beginConversation } from './realtime-parts.ts';
import { useServer } from './shared-server.ts';

/** Clients of the live channel that read slowly, or not at all. */

const server = useServer();
const begin = () => beginConversation(server());

describe('a client that does not read', () => {
  it('is closed and cut off, while others are told everything', async () => {
    const { url, token, visitor, answer } = await begin();
    const ada = await visitor();
    await ada.say('Hello');
    const [slow, reader] = [await connect(url, { token }), await connect(url, { visitor: ada.token })];
    slow.socket.pause();
    const body = '0'.repeat(10_000);
    const begun = performance.now();
    // Beyond what the buffers of the two ends of a loopback connection hold (some MiB), and 1 MiB more.
    for (let i = 0; i < 90; i++) {
      await Promise.all(
        Array.from({ length: 10 }, (_, j) => answer(ada.room.uuid, `${i * 10 + j} ${body.slice(9)}`)),
      );
    }
    // Ten are posted side by side: the last one of them to come is not always the last that was asked for.
    // "Hello" may come, too, when it was announced only after the reader had come.
    const heard = () => reader.events().filter(({ data }) => data.is_support_sender);
    await vi.waitFor(() => expect(new Set(heard().map(({ data }) => data.uuid)).size).toBe(900), {
      timeout: 60_000,
      interval: 100,
    });
    await sleep(Math.max(0, 5_500 - (performance.now() - begun)));
    slow.socket.resume();
    expect([1006, 1013]).toContain((await slow.closed).code);
    expect(slow.events().length).toBeLessThan(900);
  });

  it('is not taken for one that has missed much and reads it', async () => {
    const { url, token, visitor, answer } = await begin();
    const ada = await visitor();
    await ada.say('Hello');
    const before = await connect(url, { token });
    await before.close();
    const body = '長'.repeat(9_990);
    for (let i = 0; i < 40; i++) {
      await Promise.all(Array.from({ length: 10 }, (_, j) => answer(ada.room.uuid, `${i * 10 + j} ${body}`)));
    }
    const back = await connect(url, { token }, { after: before.after });
    const heard = () => back.events().filter(({ data }) => data.is_support_sender);
    await vi.waitFor(() => expect(new Set(heard().map(({ data }) => data.uuid)).size).toBe(400), {
      timeout: 60_000,
      interval: 100,
    });
    expect(heard().map(({ id }) => id)).toEqual([...new Set(heard().map(({ id }) => id))]);
    expect(back.socket.readyState).toBe(back.socket.OPEN);
  });
});
