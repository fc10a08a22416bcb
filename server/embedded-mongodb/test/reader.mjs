// Reads the data directory of its first argument as the process does that copies it, until it is killed.
import { open } from 'lmdb';

const root = open(process.argv[2], { readOnly: true, noSubdir: false });
root.useReadTransaction();
process.stdout.write('reads');
setInterval(() => {}, 1_000);
