import { PASSWORD } from './members.ts';
import { caller, owner } from './rest.ts';
import { type ServerProcess, serverSettings, startServerProcess } from './server-process.ts';
import { oneOwner } from './shared-server.ts';

/** What a visitor's page holds. */
export interface TestVisitor {
  token: string;
  room: { uuid: string; label: string };
  call: ReturnType<typeof caller>;
  /** Posts a message; gives its uuid. */
  say(body: string): Promise<string>;
}

/** A server process with the owner `ada`, who answers visitors. */
export const startConversation = async (env: Record<string, string> = {}) => {
  const server = await startServerProcess({ ...(await serverSettings()), RATE_LIMIT: 'off', ...env });
  const { url } = server;
  return { server, ...conversationOf(url, await owner(url)) };
};

/** The same with an account of its own on a server that others use, too. */
export const beginConversation = async ({ url }: ServerProcess) => {
  const one = await oneOwner(url);
  return { username: one.username, ...conversationOf(url, one) };
};

const conversationOf = (url: string, { token, rest, widget }: Awaited<ReturnType<typeof owner>>) => {
  const visitor = async (on = widget): Promise<TestVisitor> => {
    const { json } = await caller(url)('POST', `/api/v1/widgets/${on}/sessions/`, {});
    const call = caller(url, `Visitor ${json.token}`);
    const room = { uuid: json.room.uuid };
    const say = async (body: string) => (await call('POST', '/api/v1/messages/', { body, room })).json.uuid;
    return { token: json.token, room: json.room, call, say };
  };
  const answer = async (room: string, body: string): Promise<string> => {
    const message = { body, room: { uuid: room }, is_support_sender: true };
    return (await rest('POST', '/api/v1/messages/', message)).json.uuid;
  };
  return { url, token, rest, widget, visitor, answer };
};

let operators = 0;
/** An operator of the account who is restricted to these widgets, with its token. */
export const operator = async (url: string, rest: ReturnType<typeof caller>, widgets: string[] | null) => {
  const username = `operator-${++operators}`;
  const invited = await rest('POST', '/api/v1/members/', { email: `${username}@example.com`, widgets });
  const token = invited.json.invite_url.split('#token=')[1];
  const accepted = { token, username, password: PASSWORD, password2: PASSWORD };
  const { json } = await caller(url)('POST', '/api/v1/auth/accept-invitation', accepted);
  const signedIn = await caller(url)('POST', '/api/v1/auth/api-token', { username, password: PASSWORD });
  return { uuid: json.uuid as string, token: signedIn.json.token as string };
};

/** Fits the frame of a message with this body. */
export const says =
  (body: string) =>
  (frame: { type: string; data?: any }): boolean =>
    frame.type === 'message.added' && frame.data.body === body;

export const isType =
  (type: string, data: object = {}) =>
  (frame: { type: string; data?: any }): boolean =>
    frame.type === type && Object.entries(data).every(([name, value]) => frame.data?.[name] === value);
