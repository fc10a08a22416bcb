import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { owner } from './rest.ts';
import { MAIN, serverSettings, startServerProcess } from './server-process.ts';
import { startSmtpReceiver } from './smtp-receiver.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

/** An update takes packages and builds away beside the server that it is for, as `npm ci` does first. */

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const canHide = spawnSync('unshare', ['--mount', 'true']).status === 0;

const nodes = [
  { id: 's', type: 'start', next: 'c' },
  {
    id: 'c',
    type: 'condition',
    branches: [{ variable: 'plan', operator: 'matches', value: '^gold', next: 'f' }],
    else: 'e',
  },
  { id: 'f', type: 'faq', entries: [{ questions: ['owls'], answer: 'Owls.' }], on_miss: 'e' },
  { id: 'e', type: 'end', text: 'Bye' },
];

it.skipIf(!canHide)(
  'soon after its start a server needs its packages and its own files no more',
  { timeout: 60_000 },
  async () => {
    const smtp = await startSmtpReceiver();
    const settings = { ...(await serverSettings()), SMTP_URL: smtp.url, LOG_LEVEL: 'debug' };
    // With mounts of its own: what is hidden from it is there for everybody else.
    const server = await startServerProcess(settings, ['unshare', '--mount', process.execPath, MAIN]);
    await expect.poll(server.stderr, { timeout: 30_000 }).toContain('all of Parlor is loaded');
    for (const path of ['../../node_modules', '../dist']) {
      const hide = ['mount', '-t', 'tmpfs', 'tmpfs', folder(path)];
      execFileSync('nsenter', ['--target', String(server.pid), '--mount', ...hide]);
    }

    const { rest } = await owner(server.url);
    await expect.poll(() => smtp.mails.length, { timeout: 30_000 }).toBeGreaterThan(0);

    const receiver = await startWebhookReceiver();
    expect(
      (await rest('POST', '/api/v1/webhooks/', { event: 'lead.added', target: receiver.url })).status,
    ).toBe(201);
    expect((await rest('POST', '/api/v1/leads/', { nickname: 'Ada', email: 'ada@example.com' })).status).toBe(
      201,
    );
    await receiver.find(({ nickname }) => nickname === 'Ada', 8_000);

    const { json: workflow } = await rest('POST', '/api/v1/workflows/', { name: 'Owls', nodes });
    const test = (body: object) => rest('POST', `/api/v1/workflows/${workflow.uuid}/test/`, body);
    const { state } = (await test({ variables: [{ name: 'plan', value: 'golden' }] })).json;
    expect((await test({ state, message: 'owls?' })).json.messages).toEqual(['Owls.']);
  },
);
