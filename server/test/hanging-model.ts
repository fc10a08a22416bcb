import { onTestFinished } from 'vitest';
import { hangs, startLlmServer } from './agent-llm-server.ts';
import { owner } from './rest.ts';
import { serverSettings, startServerProcess } from './server-process.ts';

interface Asked {
  accept?: string;
  signal?: AbortSignal;
}

/** A server with a published workflow whose model never answers, for its test. */
export const startWithHangingModel = async () => {
  const llm = await startLlmServer();
  onTestFinished(() => llm.close());
  llm.behave(hangs);
  const model = { LLM_URL: llm.url, LLM_MODEL: 'small', LLM_TIMEOUT: '60s' };
  const server = await startServerProcess({ ...(await serverSettings()), ...model });
  const { rest } = await owner(server.url);
  const nodes = [
    { id: 's', type: 'start', greeting: 'Hi', next: 'l' },
    { id: 'l', type: 'llm' },
  ];
  const made = await rest('POST', '/api/v1/workflows/', { name: 'Slow', is_published: true, nodes });
  const post = (path: string, body: object, { accept = '*/*', signal }: Asked = {}) =>
    fetch(`${server.url}/api/v1/public/conversations/${path}`, {
      method: 'POST',
      headers: { Accept: accept, 'Content-Type': 'application/json', 'X-API-Key': made.json.public_key },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
  /** Says something in a conversation of its own, which the model is asked about. */
  const ask = async (asked?: Asked): Promise<Response> => {
    const { conversationId } = (await (await post('start', {})).json()) as { conversationId: string };
    return post(`${conversationId}/messages`, { message: 'Do you deliver?' }, asked);
  };
  return { llm, server, ask };
};
