// Compacts the data directory of its first argument, and stops at the step of its second: killed where the third is
// `kill`; where it is `wait`, it says so and goes on when its standard input ends.
import { existsSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { compactDataDir } from '../dist/index.js';

const [dataDir = '', step, how] = process.argv.slice(2);
const kill = () => process.kill(process.pid, 'SIGKILL');

/** In the middle of writing: the copy has begun, and is far from whole. */
const killWhileCopying = () => {
  const copy = join(dataDir, 'compacted', 'data.mdb');
  const look = () => {
    if (existsSync(copy) && statSync(copy).size > 0) kill();
    setImmediate(look);
  };
  look();
};

await compactDataDir(dataDir, (at) => {
  if (at === 'copying' && step === 'in the copy') return killWhileCopying();
  if (at !== step) return;
  if (how === 'kill') kill();
  process.stdout.write('waiting\n');
  readSync(0, Buffer.alloc(1));
});
