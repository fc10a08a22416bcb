import { expect, it } from 'vitest';
import { knownFaults, makeAttempt, SEARCHED_MESSAGES, SEARCHES } from './fuzz-attempts.ts';
import { withLongConversation } from './fuzz-standing.ts';
import { largeTenants } from './fuzz-tenants.ts';
import { counted, watch } from './fuzz-watch.ts';
import { chooser } from './hostile-texts.ts';
import { startProbed } from './probed-server.ts';

/**
 * No request may hold a thread that serves everybody for longer than 50 ms, answer more than 4 MiB, or be a 5xx: what once
 * did, and long texts of many kinds in any field, in paths, queries and headers, broken off, and in whatever a workflow
 * does with them, at random. fuzz-walk.test.ts goes through every place there is. FUZZ_SEED repeats a run.
 */

const SEED = Number(process.env.FUZZ_SEED ?? 1);
const ATTEMPTS = Number(process.env.FUZZ_ATTEMPTS ?? 120);

it(`${ATTEMPTS} attempts to occupy the server, seed ${SEED}`, { timeout: 300_000 }, async () => {
  const { app, longestTurnMs } = await startProbed();
  const choose = chooser(SEED);
  const own = await withLongConversation(app);
  const { token } = own;
  const searched = (await app.request('POST', '/api/v1/rooms/', { token, body: {} })).json.uuid;
  for (const { q, body } of Object.values(SEARCHES)) {
    const said = { token, body: { body, room: { uuid: searched } } };
    for (let n = 0; n < SEARCHED_MESSAGES; n++) await app.request('POST', '/api/v1/messages/', said);
    const path = `/api/v1/search/?limit=1&q=${encodeURIComponent(q)}`;
    await expect
      .poll(async () => (await app.request('GET', path, { token })).json, { timeout: 60_000 })
      .toHaveLength(1);
  }

  const attempts = [...knownFaults(app, own), ...largeTenants(app, own)];
  for (let n = 0; n < ATTEMPTS; n++) attempts.push(makeAttempt(app, own, choose));
  const answered = await watch(attempts, longestTurnMs);
  // The texts came to what works on them, too, and not only to the checks.
  expect(counted(answered, 200)).toBeGreaterThan(ATTEMPTS / 20);
  expect(counted(answered, 400)).toBeGreaterThan(ATTEMPTS / 10);
});
