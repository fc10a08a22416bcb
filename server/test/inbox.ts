import { expect } from 'vitest';
import type { TestApp } from './app.ts';

/** Texts that must come back as they were sent. */
export const HARMLESS_TEXTS: [string, string][] = [
  ['markup', '<script>alert(1)</script><img src=x onerror=alert(1)>'],
  ['a word of 10 000 characters', 'x'.repeat(10_000)],
  ['10 000 emoji', '\u{1f600}'.repeat(10_000)],
  ['right to left', 'שלום \u202eעולם'],
  ['formatting of MongoDB', '$where {"$gt": ""}'],
];

/** Bodies that are refused wherever a text of at most 10 000 characters stands. */
export const REFUSED_TEXTS: [unknown, string][] = [
  ['x'.repeat(10_001), 'Ensure this field has no more than 10000 characters.'],
  ['a\0b', 'Null characters are not allowed.'],
  ['\ud800', 'Lone surrogates are not allowed.'],
  [5, 'Not a valid string.'],
];

/** Conversations of visitors, and what members ask of them. */
export const conversationsOf = (app: TestApp) => {
  const call = (method: string, path: string, token: string, more: object = {}) =>
    app.request(method, `/api/v1/conversations/${path}`, { token, ...more });
  return {
    call,
    /** A visitor who has written once, and whose conversation is there. @param token of a member who sees it */
    visit: async (widget: string, token: string) => {
      const { visitor, room } = await app.session(widget);
      const say = (body: string) =>
        app.request('POST', '/api/v1/messages/', { visitor, body: { body, room: { uuid: room.uuid } } });
      await say('Do you deliver?');
      const lastMessage = async () => (await call('GET', `${room.uuid}/`, token)).json.last_message;
      await expect.poll(lastMessage).toBeTruthy();
      return { uuid: room.uuid, label: room.label, visitor, say };
    },
  };
};
