// `npm run parlor -- <command>`: builds what is stale and runs the command line.
import { buildStale } from './build.mjs';

try {
  await buildStale();
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exit(1);
}
await import(`${new URL('../server/dist/bundle/cli.js', import.meta.url)}`);
