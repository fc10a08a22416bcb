// Opens and closes the data directory of its first argument again and again, until that fails: then it says why.
import { openDataDirectory } from '../dist/storage/data-directory.js';

const [dataDir = ''] = process.argv.slice(2);
const end = performance.now() + 1_000;
try {
  while (performance.now() < end) await openDataDirectory(dataDir).close();
} catch (error) {
  process.stdout.write(`${error.code} ${error.message}`);
}
