import { describe, expect, it, onTestFinished } from 'vitest';
import { operations } from './openapi.ts';
import { serverSettings, startServerProcess } from './server-process.ts';
import { StrictConnection } from './strict-http.ts';
import { type Ask, type Asked, askEverything, byFetch, byStrictParser } from './wire.ts';

/** What clients get to see of a server that listens: bytes, which tests without a socket never look at. */

const start = async () => {
  const { url } = await startServerProcess({ ...(await serverSettings()), RATE_LIMIT: 'off' });
  const fetching = byFetch(url);
  onTestFinished(() => fetching.close());
  const connection = await StrictConnection.open(url);
  onTestFinished(() => connection.close());
  return { url, fetching, connection };
};

const statuses = (answers: Asked[], what: string) =>
  answers.filter((one) => one.what.endsWith(what)).map((one) => `${one.what}: ${one.status}`);

/** Asks everything, and looks through what came; a fault of the bytes has been thrown by then. */
const check = async (ask: Ask) => {
  const answers = await askEverything(ask);
  expect(answers.length).toBeGreaterThan(4 * operations.length);
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  for (const [what, status] of [
    ['once', /: 20[0-4]$/],
    ['unchanged', /: 304$/],
    ['nobody', /: 401$/],
    ['a broken body', /: 400$/],
    ['a foreign type', /: 415$/],
    ['another method', /: (405|204)$/],
  ] as const) {
    expect([what, statuses(answers, what).filter((one) => !status.test(one))]).toEqual([what, []]);
  }
};

describe('every operation, twice and wrongly, over one connection', { timeout: 120_000 }, () => {
  it("is understood by undici's fetch", async () => {
    const { fetching } = await start();
    await check(fetching);
  });

  it('is understood by a parser that refuses whatever HTTP/1.1 does not allow', async () => {
    const { connection } = await start();
    await check(byStrictParser(connection));
  });
});
