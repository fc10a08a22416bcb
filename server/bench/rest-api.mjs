import { post, register } from './account.mjs';
import { compareRates } from './ratio.mjs';

/** As many as bare-server.mjs has. */
const LEADS = 100;

/**
 * The REST API against a bare Koa route with the same driver call and the same JSON.
 * @param {{ url: string, bareUrl: string, metricsToken: string }} servers
 */
export const restApi = async ({ url, bareUrl, metricsToken }) => {
  const { credentials, headers } = await register(url);
  const room = await post(`${url}/api/v1/rooms/`, {}, headers);

  const message = {
    nickname: 'Ada',
    email: 'ada@example.com',
    body: 'Do you deliver on Sundays?',
    room: { uuid: room.uuid },
  };
  const load = { method: /** @type {const} */ ('POST'), headers, body: JSON.stringify(message) };
  await compareRates(
    'POST message',
    { url: `${url}/api/v1/messages/`, ...load },
    { url: `${bareUrl}/messages`, ...load },
    { goal: 0.6 },
  );

  const { uuid } = await post(`${url}/api/v1/messages/`, message, headers);
  for (let n = 0; n < 100; n++) await post(`${url}/api/v1/messages/`, message, headers);
  await compareRates(
    'GET message',
    { url: `${url}/api/v1/messages/${uuid}/`, headers },
    { url: `${bareUrl}/message` },
    { goal: 0.7 },
  );
  await compareRates(
    'list of 100 messages',
    { url: `${url}/api/v1/messages/?room=${room.uuid}`, headers },
    { url: `${bareUrl}/messages` },
    { goal: 0.7 },
  );

  // In turn, and more of them than connections: writers of one document would wait for each other, and measure that.
  const leads = [];
  for (let n = 0; n < LEADS; n++)
    leads.push(await post(`${url}/api/v1/leads/`, { nickname: 'Ada' }, headers));
  await compareRates(
    'PATCH lead',
    changes(url, (n) => `/api/v1/leads/${leads[n].uuid}/`, headers),
    changes(bareUrl, (n) => `/lead?id=${n}`, headers),
    { goal: 0.7 },
  );

  const [widget] = await (await fetch(`${url}/api/v1/widgets/`, { headers })).json();
  await compareRates(
    'public widget read',
    { url: `${url}/api/v1/widgets/?token=${widget.token}` },
    { url: `${bareUrl}/constant` },
    { goal: 0.9 },
  );
  await signIn(url, credentials, metricsToken);
};

/**
 * PATCHes that each change something, of one lead after the other.
 * @param {string} url @param {(lead: number) => string} path @param {Record<string, string>} headers
 */
const changes = (url, path, headers) => {
  let count = 0;
  const setupRequest = (/** @type {object} */ request) => {
    const n = count++;
    return { ...request, path: path(n % LEADS), body: JSON.stringify({ nickname: `Ada ${n}` }) };
  };
  return { url, headers, requests: [{ method: /** @type {const} */ ('PATCH'), setupRequest }] };
};

/** argon2 must not hold up the event loop: 20 people sign in at once, again and again. */
const signIn = async (
  /** @type {string} */ url,
  /** @type {object} */ credentials,
  /** @type {string} */ metricsToken,
) => {
  const headers = { Authorization: `Bearer ${metricsToken}` };
  const lag = async () => {
    const response = await fetch(`${url}/metrics`, { headers });
    const [, seconds] = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(await response.text()) ?? [];
    if (seconds === undefined) throw new Error(`/metrics: ${response.status} without the lag`);
    return Number(seconds) * 1_000;
  };
  await lag();
  const started = performance.now();
  let count = 0;
  while (performance.now() - started < 3_000) {
    await Promise.all(Array.from({ length: 20 }, () => post(`${url}/api/v1/auth/api-token`, credentials)));
    count += 20;
  }
  const rate = count / ((performance.now() - started) / 1_000);
  console.log(
    `${'20 people sign in'.padEnd(36)} event loop lag p99 ${(await lag()).toFixed(1)} ms   ${rate.toFixed(0)}/s   goal under 20 ms`,
  );
};
