import { randomUUID } from 'node:crypto';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { expectAtLeastOnce, KEYWORD, missing, Writers } from './crash-writers.ts';
import { FAULT_POINTS, type FaultPoint, startDoomedServer } from './fault-points.ts';
import { confirmByMail } from './mailed-account.ts';
import { caller, owner } from './rest.ts';
import { GaveUp, type ServerProcess, serverSettings, startServerProcess } from './server-process.ts';
import { startSmtpReceiver } from './smtp-receiver.ts';
import { sleep, startReceiver, until } from './webhooks-parts.ts';

const isMongodb = inject('isRealMongodb');

/** A way to die: at a named point, at a request to the subscriber, or at any time. */
type Death = FaultPoint | 'request' | 'answer' | 'any time';

const NAMED: readonly Death[] = [...FAULT_POINTS, 'request', 'answer'];

/** Three of four deaths are named, the others are at any time: from here on each of the named has its turn. */
const EACH_POINT = Math.ceil((NAMED.length * 4) / 3);

/** How often a server is killed. */
const ROUNDS = Number(process.env.WEBHOOK_CRASH_ROUNDS ?? (isMongodb ? 4 : 16));

/** Where not all of the named deaths have their turn, they are others each time. */
const FIRST = Math.floor(Math.random() * NAMED.length);

const WRITERS = 4;

/** A server that does not get to the point at which it is to die, which may be a rare one, is killed then. */
const LONGEST_LIFE = 5_000;

/** On MongoDB a new process sends only when the lease of the one before it has run out. */
const TAKEN_OVER_AFTER = 7_000;

const EVENTS = [
  'chat.added',
  'message.added',
  'lead.added',
  'lead.changed',
  'keyword_notification.added',
] as const;

/** A subscriber and a mail server that fail now and then, so that retries are under way when a server dies. */
const startOutside = async () => {
  let deathAt: 'request' | 'answer' | undefined;
  let kill: () => unknown = () => undefined;
  const due = (moment: 'request' | 'answer'): void => {
    if (deathAt !== moment) return;
    deathAt = undefined;
    kill();
  };
  const receiver = await startReceiver(async (_, response) => {
    due('request');
    await sleep(Math.random() * 20);
    if (Math.random() < 0.2) response.writeHead(503);
    response.end();
    due('answer');
  });
  // Other tests run beside this one, and a port that was theirs may still be asked by theirs.
  const path = `/hook/${randomUUID()}`;
  const smtp = await startSmtpReceiver();
  smtp.answer = () => (Math.random() < 0.2 ? 451 : undefined);
  onTestFinished(() => smtp.close());
  return {
    target: `${receiver.origin}${path}`,
    hits: () => receiver.hits.filter((hit) => hit.path === path),
    smtp,
    /** Those about keywords. */
    mails: () => smtp.mails.filter(({ headers }) => headers['message-id']?.startsWith('<keyword-')),
    settings: {
      ...(await serverSettings()),
      LOG_LEVEL: 'error',
      RATE_LIMIT: 'off',
      SMTP_URL: smtp.url,
      MAIL_DIGEST_WINDOW: '300ms',
      MAILS_PER_DAY: '0',
      // The budget of the hour is booked, and is not what this is about.
      MAILS_PER_HOUR_TOTAL: '1000000',
      WEBHOOK_RETRY_DELAYS: Array(30).fill('250ms').join(),
      WEBHOOK_TIMEOUT: '2s',
    },
    /** Kills when the next request comes in, or has been answered. */
    dieAt(moment: 'request' | 'answer', victim: ServerProcess): void {
      deathAt = moment;
      kill = () => victim.end('SIGKILL');
    },
  };
};

type Outside = Awaited<ReturnType<typeof startOutside>>;

/** Each of the named as often as the others. */
const deathOf = (round: number): Death => {
  if (round % 4 === 3) return 'any time';
  const turn = FIRST + round - Math.floor(round / 4);
  return NAMED[turn % NAMED.length] ?? 'any time';
};

/**
 * Starts a server, and sees it die as it should, or kills it.
 * @param born told when it is ready
 * @returns whether it died by itself
 */
const liveAndDie = async (
  { settings, dieAt, hits }: Outside,
  death: Death,
  born: (server: ServerProcess) => void,
  isAlone: boolean,
): Promise<boolean> => {
  let server: ServerProcess;
  try {
    const isNamed = typeof death === 'object';
    server = await (isNamed ? startDoomedServer(settings, death) : startServerProcess(settings));
  } catch (error) {
    // It died before it was ready: what the one before had left brought it there.
    if (typeof death === 'object' && error instanceof GaveUp && error.code === null) return true;
    throw error;
  }
  born(server);
  if (isMongodb && isAlone) await Promise.race([newHit(hits), server.ended]);
  if (death === 'request' || death === 'answer') dieAt(death, server);
  const life = death === 'any time' ? Math.random() * 400 : LONGEST_LIFE;
  const isDead = await Promise.race([server.ended.then(() => true), sleep(life).then(() => false)]);
  await server.end('SIGKILL');
  return isDead;
};

const subscribe = async (url: string, { target, smtp }: Outside) => {
  const { rest, token } = await owner(url);
  await confirmByMail(smtp, 'ada@example.com');
  // Before anybody listens: it is nobody's event.
  const room: string = (await rest('POST', '/api/v1/rooms/', {})).json.uuid;
  for (const event of EVENTS) await rest('POST', '/api/v1/webhooks/', { event, target });
  await rest('POST', '/api/v1/keywords/', { keyword: KEYWORD });
  return { token, room };
};

/** Ends the writing, waits for all that was acknowledged, and for the log to have nothing that waits any more. */
const conclude = async (writers: Writers, { hits, mails }: Outside, url: string, token: string) => {
  expect(writers.acknowledged.size).toBeGreaterThan(ROUNDS);
  const left = () => missing(writers, hits(), mails());
  // A subscriber that failed ten times in a row is asked every 30 s only. What is missing is what one wants to know.
  await until(() => left().length === 0, 'the arrival of all', 300_000).catch(() =>
    expect(left()).toEqual([]),
  );
  const rest = caller(url, `Token ${token}`);
  const isOver = async () =>
    (await rest('GET', '/api/v1/deliveries/?state=pending&limit=1')).json.length === 0;
  await until(isOver, 'the end of all deliveries', 60_000);
  return expectAtLeastOnce(writers, hits(), mails());
};

const newHit = (hits: Outside['hits']) => {
  const before = hits().length;
  return until(() => hits().length > before, 'a delivery', TAKEN_OVER_AFTER).catch(() => undefined);
};

describe('a server that is killed', { timeout: 180_000 + ROUNDS * 20_000 }, () => {
  test(`between any two steps, ${ROUNDS} times, loses nothing that it acknowledged`, async () => {
    const outside = await startOutside();
    const { hits, mails, settings } = outside;
    let server = await startServerProcess(settings);
    const { token, room } = await subscribe(server.url, outside);
    const writers = new Writers(() => server.url, token, room);
    const writing = Array.from({ length: WRITERS }, () => writers.write());
    const reached = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      await server.end('SIGKILL');
      const death = deathOf(round);
      const hasDied = await liveAndDie(
        outside,
        death,
        (born) => {
          server = born;
        },
        true,
      );
      if (hasDied && typeof death === 'object') reached.add(death.name);
    }
    server = await startServerProcess(settings);
    writers.stop();
    await Promise.all(writing);
    const { repeated, repeatedMails } = await conclude(writers, outside, server.url, token);
    console.log(
      `${ROUNDS} kills, at ${reached.size} of ${FAULT_POINTS.length} named points: ${writers.acknowledged.size} ` +
        `acknowledged, all arrived; ${hits().length} requests, ${repeated} of them retries or doubles; ` +
        `${mails().length} mails, ${repeatedMails} of them doubles`,
    );
    // One or the other may not be reached in time.
    if (ROUNDS >= EACH_POINT) expect(reached.size).toBeGreaterThan(FAULT_POINTS.length / 2);
  });

  test.runIf(isMongodb)(
    `beside another one on the same MongoDB, ${ROUNDS} times, loses nothing either`,
    async () => {
      const outside = await startOutside();
      const { hits, mails, settings } = outside;
      const servers = [await startServerProcess(settings), await startServerProcess(settings)];
      const at = (index: number) => servers[index % 2] as ServerProcess;
      const { token, room } = await subscribe(at(0).url, outside);
      let turn = 0;
      const writers = new Writers(() => at(turn++).url, token, room);
      const writing = Array.from({ length: WRITERS }, () => writers.write());
      for (let round = 0; round < ROUNDS / 2; round++) {
        const victim = Math.random() < 0.5 ? 0 : 1;
        await at(victim).end('SIGKILL');
        await liveAndDie(
          outside,
          deathOf(round),
          (born) => {
            servers[victim] = born;
          },
          false,
        );
        servers[victim] = await startServerProcess(settings);
      }
      writers.stop();
      await Promise.all(writing);
      const { repeated, repeatedMails } = await conclude(writers, outside, at(0).url, token);
      console.log(
        `${ROUNDS} kills of one of two: ${writers.acknowledged.size} acknowledged, all arrived; ` +
          `${hits().length} requests, ${repeated} of them retries or doubles; ` +
          `${mails().length} mails, ${repeatedMails} of them doubles`,
      );
    },
  );
});
