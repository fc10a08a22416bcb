// `npm run bench -w @parlor/server`: each figure a ratio inside one run, the median with its spread. With names
// as arguments only those benches run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agent } from './agent.mjs';
import { colleagues } from './colleagues.mjs';
import { inbox } from './inbox.mjs';
import { keywords } from './keywords.mjs';
import { lists } from './lists.mjs';
import { outbox } from './outbox.mjs';
import { endPrograms, PROBED, startProgram } from './processes.mjs';
import { realtime } from './realtime.mjs';
import { restApi } from './rest-api.mjs';
import { search } from './search.mjs';
import { searchCost } from './search-cost.mjs';
import { webhookLatency } from './webhook-latency.mjs';
import { webhookThroughput } from './webhook-throughput.mjs';

/** Opens /metrics to the benches. */
const METRICS_TOKEN = 'a-token-for-the-bench';

const BENCHES = {
  'rest-api': restApi,
  lists,
  realtime,
  agent,
  outbox,
  'webhook-latency': webhookLatency,
  'webhook-throughput': webhookThroughput,
  keywords,
  search,
  inbox,
  colleagues,
  'search-cost': searchCost,
};

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const wanted = process.argv.slice(2);
const dataDir = await mkdtemp(join(tmpdir(), 'parlor-bench-'));
try {
  const given = process.env.MONGODB_URL;
  const socket = join(dataDir, 'mongodb.sock');
  const mongodbUrl = given ?? `mongodb://${encodeURIComponent(socket)}/?directConnection=true`;
  const probeSocket = join(dataDir, 'server.probe');
  const url = await startProgram(
    [...PROBED, here('../dist/bundle/main.js')],
    {
      PROBE: probeSocket,
      PORT: '0',
      DATA_DIR: join(dataDir, 'data'),
      SECRET_KEY: 'a secret key for the bench only, 40 long',
      LOG_LEVEL: 'warn',
      RATE_LIMIT: 'off',
      METRICS_TOKEN,
      REGISTRATION: 'open',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      ...(!given && { EMBEDDED_MONGODB_LISTEN: socket }),
    },
    /^Parlor is ready: (\S+)\/$/m,
  );
  const bareUrl = await startProgram([here('./bare-server.mjs'), mongodbUrl], {}, /^(http:\S+)$/m);
  console.log(
    `On ${given ? 'the MongoDB of MONGODB_URL' : 'the embedded database'}, Node.js ${process.version}:`,
  );
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (wanted.length === 0 || wanted.includes(name))
      await bench({
        url,
        bareUrl,
        dataDir,
        metricsToken: METRICS_TOKEN,
        databaseUrl: mongodbUrl,
        mongodbUrl: given,
        probeSocket,
      });
  }
} finally {
  await endPrograms();
  await rm(dataDir, { recursive: true, force: true });
}
