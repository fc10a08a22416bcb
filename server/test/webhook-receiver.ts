import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';

/** One request that a subscriber got. */
export interface Received {
  at: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A real HTTP subscriber on loopback. */
export interface WebhookReceiver {
  url: string;
  received: Received[];
  /** What the next requests are answered; 200 at first. */
  answer: number;
  /** They are answered what they said. */
  echoes: boolean;
  /** Waits for the first request that fits. */
  find(
    fits: (data: Record<string, unknown>, request: Received) => boolean,
    patience?: number,
  ): Promise<Received>;
}

/** Checks the signature with the field's own verifier. @throws when it is wrong */
export const verifySignature = (secret: string, { headers, body }: Received): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

export const startWebhookReceiver = async (): Promise<WebhookReceiver> => {
  const received: Received[] = [];
  const receiver: WebhookReceiver = { url: '', received, answer: 200, echoes: false, find };
  const server = createServer(async (req, res) => {
    // A proxy of another test that still asks whether the server lives that had this port before.
    if (req.method !== 'POST') return void res.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    received.push({ at: Date.now(), headers: req.headers, body });
    res.writeHead(receiver.answer).end(receiver.echoes ? body : '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  async function find(
    fits: (data: Record<string, unknown>, request: Received) => boolean,
    patience = 60_000,
  ): Promise<Received> {
    for (const deadline = Date.now() + patience; Date.now() < deadline; ) {
      const found = received.find((request) => fits(JSON.parse(request.body).data, request));
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`no such delivery in ${patience} ms; got ${received.map(({ body }) => body).join('\n')}`);
  }
  return receiver;
};
