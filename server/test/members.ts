import type { Answer, testApp } from './app.ts';

/** The password of everybody that a test makes. */
export const PASSWORD = 'a long enough secret';

/** What tests do with members of an application's accounts. */
export const testMembers = (app: Pick<ReturnType<typeof testApp>, 'request'>) => {
  let count = 0;
  const name = () => `person-${process.pid}-${++count}`;
  const invite = (token: string, more: object = {}) =>
    app.request('POST', '/api/v1/members/', { token, body: { email: `${name()}@example.com`, ...more } });
  const linkOf = ({ json }: Answer): string => json.invite_url.split('#token=')[1];
  const accept = (token: string, username = name(), more: object = {}) =>
    app.request('POST', '/api/v1/auth/accept-invitation', {
      body: { token, username, password: PASSWORD, password2: PASSWORD, ...more },
    });
  const signIn = (username: string, more: object = {}) =>
    app.request('POST', '/api/v1/auth/api-token', { body: { username, password: PASSWORD, ...more } });

  /** A member of that role who has signed in. */
  const member = async (owner: string, role: string, more: object = {}) => {
    const username = name();
    const invited = await invite(owner, { role, ...more });
    const { json } = await accept(linkOf(invited), username);
    return { uuid: json.uuid as string, username, token: (await signIn(username)).json.token as string };
  };
  const me = (token: string) => app.request('GET', '/api/v1/members/me/', { token });
  const list = async (token: string) => (await app.request('GET', '/api/v1/members/', { token })).json;
  const change = (token: string, uuid: string, body: object) =>
    app.request('PATCH', `/api/v1/members/${uuid}/`, { token, body });
  const remove = (token: string, uuid: string) =>
    app.request('DELETE', `/api/v1/members/${uuid}/`, { token });
  return { accept, change, invite, linkOf, list, me, member, name, remove, signIn };
};
