import { expect } from 'vitest';

/** A caller of the REST API, with fetch alone. */
export const caller =
  (url: string, authorization?: string) =>
  async (
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<{ status: number; json: any }> => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(authorization && { Authorization: authorization }),
        ...more,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, json: text && JSON.parse(text) };
  };

/** Registers an owner and gives what its programs and its page use. */
export const owner = async (url: string, username = 'ada') => {
  const person = { username, password: 'a long enough secret' };
  const call = caller(url);
  const registered = await call('POST', '/api/v1/auth/register', {
    ...person,
    email: `${username}@example.com`,
    password2: person.password,
  });
  expect(registered).toEqual({ status: 201, json: { message: 'User registered successfully.' } });
  const { json } = await call('POST', '/api/v1/auth/api-token', person);
  const rest = caller(url, `Token ${json.token}`);
  const widgets = await rest('GET', '/api/v1/widgets/');
  return { token: json.token as string, rest, widget: widgets.json[0].token as string };
};
