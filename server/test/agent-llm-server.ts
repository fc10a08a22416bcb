import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request that the endpoint got. */
export interface Asked {
  path: string;
  authorization: string | undefined;
  body: {
    model: string;
    stream: boolean;
    max_tokens: number;
    messages: { role: string; content: string }[];
  };
}

/** How the endpoint answers one request. */
export type Behaviour = (res: ServerResponse, asked: Asked) => void | Promise<void>;

/** A local HTTP server that speaks the interface of OpenAI's chat completions, with its failures. */
export interface LlmServer {
  /** The base, `http://127.0.0.1:<port>/v1`. */
  url: string;
  asked: Asked[];
  /** What comes next is answered by these in turn, and then by the last one again. */
  behave(...behaviours: Behaviour[]): void;
  close(): Promise<void>;
}

const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;

const FINISHED = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`;

const COUNTED = `data: ${JSON.stringify({ choices: [], usage: { total_tokens: 42 } })}\n\n`;

const END = `${FINISHED}${COUNTED}data: [DONE]\n\n`;

const stream = (res: ServerResponse): ServerResponse =>
  res.writeHead(200, { 'content-type': 'text/event-stream' });

/** A well answer, word by word, so many milliseconds before it and between its words. */
export const says =
  (text: string, { before = 0, between = 0 } = {}): Behaviour =>
  async (res) => {
    await sleep(before);
    stream(res).write(chunk({ role: 'assistant', content: '' }));
    for (const piece of text.match(/\S+\s*/g) ?? []) {
      if (between > 0) await sleep(between);
      res.write(chunk({ content: piece }));
    }
    res.end(END);
  };

/** A well answer that waits until the test wants it. */
export const saysLater = (text: string): { behaviour: Behaviour; say(): void } => {
  let say = (): void => undefined;
  const isWanted = new Promise<void>((resolve) => {
    say = resolve;
  });
  return { behaviour: (res, asked) => isWanted.then(() => says(text)(res, asked)), say };
};

/** An answer whose chunks have a text where an object belongs. */
export const saysBesideText =
  (text: string, beside: string): Behaviour =>
  (res) => {
    const choices = [{ index: 0, message: beside, delta: { content: text }, finish_reason: null }];
    stream(res).end(`data: ${JSON.stringify({ choices })}\n\n${END}`);
  };

/** An answer in these pieces, with a count of tokens as it is written there. */
export const saysInPieces =
  (pieces: readonly string[], tokens = '42'): Behaviour =>
  (res) => {
    const chunks = pieces.map((content) => chunk({ content }));
    stream(res).end(chunks.join('') + END.replace('"total_tokens":42', `"total_tokens":${tokens}`));
  };

/** A well answer of an endpoint that gives each piece a `finish_reason` and a count, and begins without text. */
export const finishesEach =
  (pieces: readonly string[], between = 0): Behaviour =>
  async (res) => {
    stream(res);
    for (const content of ['', ...pieces]) {
      const choices = [{ index: 0, delta: { content }, finish_reason: 'stop' }];
      res.write(`data: ${JSON.stringify({ choices, usage: { total_tokens: 42 } })}\n\n`);
      await sleep(between);
    }
    res.end('data: [DONE]\n\n');
  };

/** An answer with a status and nothing else. */
export const refuses =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (res) =>
    void res
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end('{"error":{"message":"no"}}');

/** The connection is lost in the middle of an answer. */
export const cuts: Behaviour = async (res) => {
  stream(res).write(chunk({ content: 'The answer is' }));
  await sleep(20);
  res.destroy();
};

/** A well answer whose connection is lost before its tokens are counted. */
export const finishesAndCuts =
  (text: string): Behaviour =>
  async (res) => {
    stream(res).write(chunk({ content: text }) + FINISHED);
    await sleep(20);
    res.destroy();
  };

/** A well answer, and then comments without end; its tokens are counted in between, or never. */
export const staysOpen =
  (text: string, isCounted: boolean): Behaviour =>
  async (res, asked) => {
    stream(res).write(chunk({ content: text }) + FINISHED);
    await sleep(20);
    if (isCounted) res.write(COUNTED);
    await comment(res, asked);
  };

/** The stream ends without its end. */
export const stops: Behaviour = (res) => void stream(res).end(chunk({ content: 'The answer is' }));

export const sendsBrokenJson: Behaviour = (res) =>
  void stream(res).end(`${chunk({ content: 'The' })}data: {"choi\n\n`);

export const sendsNothing: Behaviour = (res) => void stream(res).end(END);

/** These pieces of an answer, which then ends in `end`: the connection is lost where that is 'lost', and hangs where it is 'hung'. */
export const writesThen =
  (deltas: readonly object[], end: string): Behaviour =>
  async (res) => {
    stream(res).write(deltas.map((delta) => chunk(delta)).join(''));
    if (end === 'hung') return;
    // What was written has arrived by then.
    await sleep(100);
    if (end === 'lost') res.destroy();
    else res.end(end);
  };

/** An answer that ends by its length before a word of it was said, as of a model that thinks for itself. */
export const thinksOnly =
  (tokens: number | undefined, thoughts: readonly object[] = []): Behaviour =>
  (res) => {
    const pieces = [...thoughts, { content: '' }].map((delta) => chunk(delta)).join('');
    const count = tokens === undefined ? '' : COUNTED.replace('42', String(tokens));
    stream(res).end(`${pieces}${FINISHED.replace('stop', 'length')}${count}data: [DONE]\n\n`);
  };

/** Words without end. */
export const neverEnds: Behaviour = async (res) => {
  stream(res);
  while (!res.destroyed) {
    if (!res.write(chunk({ content: 'and so on '.repeat(25) })))
      await Promise.race([once(res, 'drain'), once(res, 'close')]);
    await sleep(0);
  }
};

const comment: Behaviour = async (res) => {
  while (!res.destroyed) {
    res.write(': processing\n\n');
    await sleep(20);
  }
};

/** Comments without end, and no word. */
export const keepsAlive: Behaviour = (res, asked) => comment(stream(res), asked);

/** One event without end. */
export const sendsOneLine: Behaviour = async (res) => {
  stream(res).write('data: {"choices":[{"delta":{"content":"');
  while (!res.destroyed) {
    if (!res.write('x'.repeat(64 * 1024))) await Promise.race([once(res, 'drain'), once(res, 'close')]);
    await sleep(0);
  }
};

/** Takes the request and never answers. */
export const hangs: Behaviour = () => undefined;

/** An endpoint that knows no streaming. */
export const saysWhole =
  (text: string): Behaviour =>
  (res) =>
    void res.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        choices: [{ message: { role: 'assistant', content: text } }],
        usage: { total_tokens: 7 },
      }),
    );

export const startLlmServer = async (): Promise<LlmServer> => {
  const asked: Asked[] = [];
  let behaviours: Behaviour[] = [says('Hello')];
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const part of req) chunks.push(part as Buffer);
    const one: Asked = {
      path: req.url ?? '',
      authorization: req.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
    };
    asked.push(one);
    const [behaviour, ...rest] = behaviours;
    if (rest.length > 0) behaviours = rest;
    await behaviour?.(res, one);
  };
  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    behave: (...next) => {
      behaviours = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
