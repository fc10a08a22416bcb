// `npm start`: builds what is stale and starts the server in this process, so that signals reach it.
import { buildStale } from './build.mjs';

try {
  await buildStale();
} catch (error) {
  process.stderr.write(`Parlor can't start: ${/** @type {Error} */ (error).message}\n`);
  process.exit(1);
}
await import('../server/dist/main.js');
