import { expect } from 'vitest';
import type { Answer, TestApp } from './app.ts';

/** A workflow of an account of its own, and calls of the agent API with its key. */
export interface TestAgent {
  account: { token: string; id: string; widget: string };
  uuid: string;
  key: string;
  /** A call of the main API with the account's token. */
  rest(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  start(body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Starts a conversation and gives its id. */
  open(metadata?: Record<string, string>): Promise<string>;
  say(conversation: string, message: string, headers?: Record<string, string>): Promise<Answer>;
  /** What the bot answers, and the status. */
  talk(conversation: string, message: string): Promise<[said: string[], status: string]>;
  get(conversation: string): Promise<Answer>;
}

/** Makes a published workflow. */
export const testAgent = async (
  app: TestApp,
  nodes: readonly object[],
  fields: object = {},
): Promise<TestAgent> => {
  const account = await app.account();
  const { token } = account;
  const made = await app.request('POST', '/api/v1/workflows/', {
    token,
    body: { name: 'Orders', is_published: true, nodes, ...fields },
  });
  expect(made.status, made.text).toBe(201);
  const key = made.json.public_key;
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    app.request(method, `/api/v1/public/conversations/${path}`, {
      headers: { 'X-API-Key': key, ...headers },
      body,
    });
  const agent: TestAgent = {
    account,
    uuid: made.json.uuid,
    key,
    rest: (method, path, body, headers = {}) =>
      app.request(method, `/api/v1/${path}`, { token, body, headers }),
    start: (body, headers) => call('POST', 'start', body, headers),
    open: async (metadata) => {
      const started = await agent.start(metadata && { metadata });
      expect(started.status, started.text).toBe(200);
      return started.json.conversationId;
    },
    say: (conversation, message, headers) => call('POST', `${conversation}/messages`, { message }, headers),
    talk: async (conversation, message) => {
      const { status, json, text } = await agent.say(conversation, message);
      expect(status, text).toBe(200);
      return [json.messages.map((said: { message: string }) => said.message), json.status];
    },
    get: (conversation) => call('GET', conversation),
  };
  return agent;
};
