import { expect, it } from 'vitest';
import { makeFixtures } from './fixtures.ts';
import {
  type Attempt,
  knownFaults,
  LONGEST_MESSAGE,
  makeAttempt,
  SEARCHED_MESSAGES,
  SEARCHES,
} from './fuzz-attempts.ts';
import { largeTenants } from './fuzz-tenants.ts';
import { chooser } from './hostile-texts.ts';
import { startProbed } from './probed-server.ts';

/**
 * No request may hold a thread that serves everybody for longer than MAX_TURN_MS, answer more than MAX_ANSWER_BYTES, or
 * be a 5xx. Long texts of many kinds stand in every text field of every operation of the OpenAPI document, in paths,
 * queries and headers, plain and compressed, and in whatever a workflow does with them. FUZZ_SEED repeats a run.
 */

const SEED = Number(process.env.FUZZ_SEED ?? 1);
const ATTEMPTS = Number(process.env.FUZZ_ATTEMPTS ?? 250);
const MAX_TURN_MS = 50;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** An attempt that is slow once may have met the garbage collector or a cold function; one that is slow always has not. */
const REPEATS = 5;

/** No collector and no cold function takes this time: nothing has to be repeated. */
const HOPELESS_MS = 20 * MAX_TURN_MS;

/** Work that an answer does not wait for shows in the attempts that follow. */
const SUSPECTS = 4;
const AFTERWARDS_MS = 40;

const afterwards = () => new Promise((resolve) => setTimeout(resolve, AFTERWARDS_MS));

it(`${ATTEMPTS} attempts to occupy the server, seed ${SEED}`, { timeout: 300_000 }, async () => {
  const { app, longestTurnMs } = await startProbed();
  const choose = chooser(SEED);
  const own = await makeFixtures(app as never);
  const { token, room } = own;
  const long = { token, body: { body: LONGEST_MESSAGE, room: { uuid: room.uuid } } };
  for (let n = 0; n < 15; n++)
    await Promise.all(Array.from({ length: 8 }, () => app.request('POST', '/api/v1/messages/', long)));
  const searched = (await app.request('POST', '/api/v1/rooms/', { token, body: {} })).json.uuid;
  for (const { q, body } of Object.values(SEARCHES)) {
    const said = { token, body: { body, room: { uuid: searched } } };
    for (let n = 0; n < SEARCHED_MESSAGES; n++) await app.request('POST', '/api/v1/messages/', said);
    const path = `/api/v1/search/?limit=1&q=${encodeURIComponent(q)}`;
    await expect
      .poll(async () => (await app.request('GET', path, { token })).json, { timeout: 60_000 })
      .toHaveLength(1);
  }

  const statuses = new Map<number, number>();
  const run = async (attempt: Attempt): Promise<void> => {
    for (const { status, text } of await attempt.run()) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500) expect([attempt.name, status, text.slice(0, 300)]).toBe('no 5xx');
      // A file, which goes out as it is read: none of it is kept.
      if (attempt.name.includes('/account/export/')) continue;
      if (text.length > MAX_ANSWER_BYTES / 4 && Buffer.byteLength(text) > MAX_ANSWER_BYTES)
        expect([attempt.name, Buffer.byteLength(text)]).toBe('at most 4 MiB');
    }
  };
  /** How long it takes when it is quickest, with what comes after its answer. */
  const quickestMs = async (attempt: Attempt): Promise<number> => {
    let quickest = Number.POSITIVE_INFINITY;
    for (let n = 0; n < REPEATS && quickest > MAX_TURN_MS; n++) {
      await longestTurnMs();
      await run(attempt);
      await afterwards();
      quickest = Math.min(quickest, await longestTurnMs());
    }
    return quickest;
  };

  const attempts = [...knownFaults(app, own), ...largeTenants(app, own)];
  for (let n = 0; n < ATTEMPTS; n++) attempts.push(makeAttempt(app, own, choose));
  await longestTurnMs();
  for (const [index, attempt] of attempts.entries()) {
    await run(attempt);
    const longestMs = await longestTurnMs();
    if (longestMs <= MAX_TURN_MS) continue;
    if (longestMs > HOPELESS_MS)
      expect([attempt.name, longestMs]).toBe(`at most ${MAX_TURN_MS} ms in one turn`);
    for (const suspect of attempts.slice(Math.max(0, index - SUSPECTS), index + 1)) {
      const quickest = await quickestMs(suspect);
      if (quickest > MAX_TURN_MS)
        expect([suspect.name, quickest]).toBe(`at most ${MAX_TURN_MS} ms in one turn`);
    }
  }
  // The texts came to what works on them, too, and not only to the checks.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(ATTEMPTS / 20);
  expect(statuses.get(400) ?? 0).toBeGreaterThan(ATTEMPTS / 10);
});
