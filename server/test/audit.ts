import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Services } from '../src/compose.ts';
import type { Answer, RequestOptions, TestApp } from './app.ts';

/** Waits until no document carries events any more: all entries are in the trail. */
export const settled = async ({ outbox }: Pick<Services, 'outbox'>): Promise<void> => {
  const models = Object.values(outbox) as unknown as { countDocuments(filter: object): Promise<number> }[];
  const waiting = { 'events.at': { $gt: new Date(0) } };
  for (const deadline = Date.now() + 30_000; ; await sleep(20)) {
    const counts = await Promise.all(models.map((model) => model.countDocuments(waiting)));
    if (counts.every((count) => count === 0)) return;
    if (Date.now() > deadline) throw new Error(`events wait: ${counts}`);
  }
};

/** What tests of the audit trail ask of an app. */
export const auditOf = (app: TestApp) => {
  const call = async (method: string, path: string, options: RequestOptions): Promise<Answer> => {
    const answer = await app.request(method, `/api/v1${path}`, options);
    expect([method, path, answer.status < 300, answer.text]).toEqual([method, path, true, answer.text]);
    return answer;
  };
  return {
    /** A request that has to succeed. */
    call,
    /** The trail, once everything is in it. */
    trail: async (token: string, query = '') => {
      await settled(app.services);
      return (await call('GET', `/audit/${query}`, { token })).json;
    },
    signIn: (username: string, password: string, address = '192.0.2.1') =>
      app.request('POST', '/api/v1/auth/api-token', {
        body: { username, password },
        headers: { 'x-forwarded-for': address },
      }),
  };
};

export const actionsOf = (entries: { action: string }[]): string[] => entries.map(({ action }) => action);
