// Opens the data directory of its first argument, which another process has open, as often as its second one says.
import { openDataDirectory } from '../dist/storage/data-directory.js';

const [dataDir = '', times = '1'] = process.argv.slice(2);
for (let time = 0; time < Number(times); time++) {
  try {
    await openDataDirectory(dataDir).close();
    process.stdout.write('opened');
  } catch (error) {
    if (error.code !== 'LOCKED') process.stdout.write(`${error.message}\n`);
  }
}
