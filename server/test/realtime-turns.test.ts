import { expect, it } from 'vitest';
import { ReadMarks } from '../src/features/realtime/read-marks.ts';
import { mostAtOnce } from './most-at-once.ts';
import { connect } from './realtime-client.ts';
import { isType } from './realtime-parts.ts';
import { caller, owner } from './rest.ts';
import { withServerHere } from './server-here.ts';
import { serverSettings } from './server-process.ts';

it('what is unread in one conversation is read for two of its sockets at once', async () => {
  const asked = mostAtOnce(ReadMarks.prototype, 'states');
  await withServerHere({ ...(await serverSettings()), RATE_LIMIT: 'off' }, async (url) => {
    const { widget } = await owner(url, 'ada');
    const { json } = await caller(url)('POST', `/api/v1/widgets/${widget}/sessions/`, {});
    const sockets = await Promise.all(
      Array.from({ length: 20 }, () => connect(url, { visitor: json.token })),
    );
    for (const socket of sockets) for (let n = 0; n < 5; n++) socket.send({ type: 'unread' });
    const answers = () => sockets.flatMap(({ frames }) => frames.filter(isType('unread')));
    await expect.poll(() => answers().length).toBe(100);
    for (const socket of sockets) socket.close();
  });
  expect(asked.calls()).toBeGreaterThanOrEqual(100);
  expect(asked.most()).toBe(2);
});
