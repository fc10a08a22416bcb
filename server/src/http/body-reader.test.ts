import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import Koa from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBodyReader } from './body-reader.ts';
import type { State } from './context.ts';

const read = createBodyReader({ types: ['application/json'], limit: 256 * 1_024 });

/** A server whose requests have shown a credential. @returns its port, and what comes of each body */
const listen = async () => {
  let settle: (outcome: unknown) => void = () => {};
  const outcome = new Promise<unknown>((resolve) => {
    settle = resolve;
  });
  const koa = new Koa<State>();
  koa.silent = true;
  koa.use(async (ctx) => {
    ctx.state.principal = {} as never;
    await read(ctx as never).then(settle, settle);
  });
  const server = createServer(koa.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, outcome };
};

describe('a body whose client goes away', () => {
  it.each(['identity', 'gzip'])('in %s is waited for no longer', async (coding) => {
    const { port, outcome } = await listen();
    const body = gzipSync(Buffer.from('{"name":"never whole"}'));
    const client = connect(port, '127.0.0.1');
    const head = ['POST / HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Content-Length: 1000'];
    client.write(`${[...head, `Content-Encoding: ${coding}`].join('\r\n')}\r\n\r\n`);
    client.write(body.subarray(0, 12), () => client.destroy());
    expect(await outcome).toMatchObject({
      message: 'The connection was lost before the whole body came.',
    });
  });
});
