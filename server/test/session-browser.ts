import { PASSWORD } from './members.ts';
import { openSocket, type RealtimeClient } from './realtime-client.ts';

/** A member's browser at one server process or several: its cookie and its own pages. */
export interface SessionBrowser {
  cookie: string;
  /** Asks as a page of the server at `url` does. */
  ask(url: string, method: string, path: string, body?: object): Promise<{ status: number; json: any }>;
  /**
   * Opens the live channel by the cookie.
   * @param origin the page that does it; one of the server's own unless given
   * @param member whose page it is
   */
  open(
    url: string,
    more?: { origin?: string | undefined; after?: string; member?: string },
  ): Promise<RealtimeClient>;
  /** The same, and waits until it is ready. */
  connect(url: string, after?: string): Promise<RealtimeClient & { after: string }>;
}

const asking =
  (cookie: string): SessionBrowser['ask'] =>
  async (url, method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(cookie && { Cookie: cookie }),
        Origin: url,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, json: text && JSON.parse(text) };
  };

const openBy =
  (cookie: string): SessionBrowser['open'] =>
  async (url, { origin = url, after, member } = {}) => {
    const headers = { ...(cookie && { Cookie: cookie }), ...(origin && { Origin: origin }) };
    const client = await openSocket(url, { headers });
    client.send({ type: 'auth', scheme: 'Session', after, member });
    return client;
  };

/** A browser with that cookie, signed in or not. */
export const browserWith = (cookie: string): SessionBrowser => {
  const open = openBy(cookie);
  return {
    cookie,
    ask: asking(cookie),
    open,
    connect: async (url, after) => {
      const client = await open(url, after === undefined ? {} : { after });
      const ready = (await client.find(({ type }) => type === 'ready')) as unknown as { after: string };
      return Object.assign(client, { after: ready.after });
    },
  };
};

/** Signs in from a browser of its own. */
export const signInBrowser = async (
  url: string,
  username: string,
  password = PASSWORD,
  origin = url,
): Promise<SessionBrowser> => {
  const answer = await fetch(`${url}/api/v1/auth/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: origin },
    body: JSON.stringify({ username, password }),
  });
  const cookie = answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  await answer.body?.cancel();
  return browserWith(cookie);
};
