import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { post, register } from './account.mjs';
import { PROBED, probe, startProgram } from './processes.mjs';
import { compareRates, median } from './ratio.mjs';

const CONVERSATIONS = 1_000;

/** The model thinks for so long (milliseconds), so that all conversations are in flight at once. */
const THINKS_FOR = 15_000;

/** An OpenAI-compatible endpoint that answers late. */
const startSlowModel = async () => {
  let inFlight = 0;
  const server = createServer((req, res) => {
    inFlight++;
    req.resume();
    setTimeout(() => {
      const chunk = { choices: [{ delta: { content: 'Here I am.' }, finish_reason: 'stop' }] };
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
      inFlight--;
    }, THINKS_FOR);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/v1`,
    inFlight: () => inFlight,
    close: () => server.close(),
  };
};

/**
 * The agent API: starts against POST message, starts at 100 a second, and 1 000 conversations that wait for a slow
 * language model.
 * @param {{ dataDir: string, mongodbUrl: string | undefined }} given
 */
export const agent = async ({ dataDir, mongodbUrl }) => {
  const model = await startSlowModel();
  const socket = join(dataDir, 'agent.probe');
  const url = await startProgram(
    [...PROBED, fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))],
    {
      PROBE: socket,
      PORT: '0',
      DATA_DIR: join(dataDir, 'agent'),
      SECRET_KEY: 'a secret key for the bench only, 40 long',
      LOG_LEVEL: 'error',
      RATE_LIMIT: 'off',
      REGISTRATION: 'open',
      LLM_URL: model.url,
      LLM_MODEL: 'slow',
      LLM_TOKENS_PER_DAY: '0',
      ...(mongodbUrl && { MONGODB_URL: mongodbUrl }),
    },
    /^Parlor is ready: (\S+)\/$/m,
  );
  const { headers: auth } = await register(url);
  const nodes = [
    { id: 's', type: 'start', greeting: 'Hello', next: 'l' },
    { id: 'l', type: 'llm', prompt: 'Be kind.' },
  ];
  const workflow = await post(`${url}/api/v1/workflows/`, { name: 'Bench', is_published: true, nodes }, auth);
  const room = await post(`${url}/api/v1/rooms/`, {}, auth);

  const key = { 'X-API-Key': workflow.public_key };
  const start = {
    url: `${url}/api/v1/public/conversations/start`,
    method: /** @type {const} */ ('POST'),
    headers: { 'Content-Type': 'application/json', ...key },
    body: JSON.stringify({ metadata: { name: 'Ada' } }),
  };
  const message = { nickname: 'Ada', email: '', body: 'Do you deliver?', room: { uuid: room.uuid } };
  const write = {
    url: `${url}/api/v1/messages/`,
    method: /** @type {const} */ ('POST'),
    headers: auth,
    body: JSON.stringify(message),
  };
  await compareRates('agent start / POST message', start, write, { goal: 0.5 });

  /** @param {import('autocannon').Options} load */
  const p99 = async (load) => (await autocannon({ connections: 16, duration: 4, ...load })).latency.p99;
  const starts = [];
  const writes = [];
  for (let i = 0; i < 3; i++) {
    starts.push(await p99({ ...start, overallRate: 100 }));
    writes.push(await p99({ ...write, overallRate: 100 }));
  }
  console.log(
    `${'agent start at 100/s'.padEnd(36)} p99 ${median(starts)} ms   goal at most 50 ms   (POST message at 100/s: ${median(writes)} ms)`,
  );

  const conversations = [];
  for (let i = 0; i < CONVERSATIONS; i += 50) {
    const batch = Array.from({ length: 50 }, () => post(start.url, {}, key));
    conversations.push(...(await Promise.all(batch)));
  }
  const latencyOf = () => p99({ ...write, connections: 4, overallRate: 50 });
  const idle = [await latencyOf(), await latencyOf(), await latencyOf()];
  const before = await probe(socket, '/memory');
  const answers = conversations.map(({ conversationId }) =>
    post(`${url}/api/v1/public/conversations/${conversationId}/messages`, { message: 'Hello?' }, key),
  );
  while (model.inFlight() < CONVERSATIONS) await new Promise((resolve) => setTimeout(resolve, 50));
  const during = await probe(socket, '/memory');
  const busy = [await latencyOf(), await latencyOf()];
  const said = await Promise.all(answers);
  if (said.some(({ messages }) => messages[0]?.message !== 'Here I am.'))
    throw new Error('an answer is missing');
  const each = (/** @type {'held' | 'rss'} */ of) =>
    ((during[of] - before[of]) / CONVERSATIONS / 1_000).toFixed(0);
  console.log(
    `${`${CONVERSATIONS} conversations in flight`.padEnd(36)} ${each('held')} kB each (resident ${each('rss')})   goal at most 100 kB   ` +
      `p99 of POST message ${median(busy)} ms against ${median(idle)} ms idle: ${(median(busy) / median(idle)).toFixed(2)}   goal at most 1.5`,
  );
  model.close();
};
