// node --expose-gc --import probe.mjs program.mjs   with PROBE=<socket path>
// Says there what time the program has used (/cpu), or what memory it holds after a collection (/memory).
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

const probe = createServer(async ({ url }, response) => {
  for (let i = 0; i < 3 && url === '/memory'; i++) {
    globalThis.gc?.();
    await sleep(100);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  response.end(JSON.stringify({ rss, held: heapUsed + external, cpu: (user + system) / 1_000 }));
});
// The embedded database's thread runs this, too.
if (isMainThread) probe.listen(process.env.PROBE).unref();
