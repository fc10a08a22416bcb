import { randomUUID } from 'node:crypto';
import type { Answer, RequestOptions, TestApp } from './app.ts';
import { mediaTypeOf } from './pictures.ts';

/** What tests that go over the wire use of an app. */
export type RemoteApp = Pick<TestApp, 'request' | 'account' | 'session'>;

/** A running server, asked as `testApp` asks an app. */
export const remoteApp = (url: string): RemoteApp => {
  const request = async (method: string, path: string, options: RequestOptions = {}): Promise<Answer> => {
    const { token, visitor, headers = {}, body } = options;
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': mediaTypeOf(body) }),
        ...(token !== undefined && { authorization: `Token ${token}` }),
        ...(visitor !== undefined && { authorization: `Visitor ${visitor}` }),
        ...headers,
      },
      ...(body !== undefined && { body: (isRaw ? body : JSON.stringify(body)) as string }),
      redirect: 'manual',
    });
    const text = await answer.text();
    const isJson = /\bjson/.test(answer.headers.get('content-type') ?? '') && text !== '';
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      json: isJson ? JSON.parse(text) : undefined,
      text,
    };
  };
  const account = async () => {
    const username = `user-${randomUUID().slice(0, 8)}`;
    const password = 'a long enough secret';
    const email = `${username}@example.com`;
    await request('POST', '/api/v1/auth/register', {
      body: { username, email, password, password2: password },
    });
    const { token } = (await request('POST', '/api/v1/auth/api-token', { body: { username, password } }))
      .json;
    const widgets = await request('GET', '/api/v1/widgets/', { token });
    return { token, id: '', username, widget: widgets.json[0].token };
  };
  const session = async (widget: string) => {
    const { json } = await request('POST', `/api/v1/widgets/${widget}/sessions/`, { body: {} });
    return { visitor: json.token, room: json.room };
  };
  return { request, account, session };
};
