import { expect, test } from 'vitest';
import { testApp } from './app.ts';
import { startReceiver, until } from './webhooks-parts.ts';

const app = testApp();

const subscribe = (token: string, target: string) =>
  app.request('POST', '/api/v1/webhooks/', { token, body: { event: 'message.added', target } });

test('at most 4 test sends of an account are under way, and an end makes room', async () => {
  const { token } = await app.account();
  const other = await app.account();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const receiver = await startReceiver(() => held);
  const well = await startReceiver();
  const pathOf = async (asking: string, target: string) =>
    `/api/v1/webhooks/${(await subscribe(asking, target)).json.uuid}/test/`;
  const path = await pathOf(token, receiver.url);
  const others = await pathOf(other.token, well.url);
  const sends = Array.from({ length: 50 }, () => app.request('POST', path, { token }));
  const refused = await until(async () => {
    const done = await Promise.all(sends.map((send) => Promise.race([send, undefined])));
    const answers = done.filter((answer) => answer !== undefined);
    return answers.length === 46 ? answers : undefined;
  });
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
  expect(refused[0]?.headers['retry-after']).toBe('5');
  expect(refused[0]?.json).toEqual({
    detail: 'At most 4 test sends may be under way. Expected available in 5 seconds.',
  });
  expect((await app.request('POST', others, { token: other.token })).json).toMatchObject({ delivered: true });
  release();
  const sent = (await Promise.all(sends)).filter(({ status }) => status === 200);
  expect(sent).toHaveLength(4);
  expect(receiver.hits).toHaveLength(4);
  expect((await app.request('POST', path, { token })).json).toMatchObject({ delivered: true });
});
