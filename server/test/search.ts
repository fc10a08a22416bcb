import { expect } from 'vitest';
import type { TestApp } from './app.ts';

/** Asks the search of an app, and says what it is to find. */
export const searchOf = (app: TestApp) => {
  const search = async (token: string, q: string, more = '') => {
    const answer = await app.request('GET', `/api/v1/search/?q=${encodeURIComponent(q)}${more}`, { token });
    expect(answer.status, answer.text).toBe(200);
    return answer.json as any[];
  };
  const uuidsOf = async (token: string, q: string, more = '') =>
    (await search(token, q, more)).map(({ uuid }) => uuid);

  const makeRoom = async (token: string, body: object = {}) =>
    (await app.request('POST', '/api/v1/rooms/', { token, body })).json;
  const say = async (token: string, room: string, body: string, more: object = {}) => {
    const answer = await app.request('POST', '/api/v1/messages/', {
      token,
      body: { body, room: { uuid: room }, ...more },
    });
    expect(answer.status, answer.text).toBe(201);
    return answer.json.uuid as string;
  };
  return { search, uuidsOf, makeRoom, say };
};

/** The texts that marks stand around. */
export const marked = ({ text, marks }: any) => marks.map(([start, end]: number[]) => text.slice(start, end));

/** What was written a moment ago is in the index within milliseconds. */
export const eventually = <T>(ask: () => Promise<T>) => expect.poll(ask, { timeout: 60_000, interval: 20 });
