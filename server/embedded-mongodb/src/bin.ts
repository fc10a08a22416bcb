#!/usr/bin/env node
/**
 * `embedded-mongodb DATA_DIR LISTEN` opens a data directory on a socket path or a loopback `host:port`, until SIGTERM
 * or SIGINT; it makes one where there is nothing yet. `embedded-mongodb --check DATA_DIR` verifies documents against indexes.
 */
import { EmbeddedMongodbError, openEmbeddedMongodb } from './index.ts';
import { checkDataDir } from './maintenance/check.ts';
import { refuseOtherDirectory } from './storage/data-directory.ts';

const USAGE = `usage: embedded-mongodb DATA_DIR LISTEN    (a socket path, or a loopback host:port)
       embedded-mongodb --check DATA_DIR`;

async function serve(dataDir: string, listen: string): Promise<void> {
  refuseOtherDirectory(dataDir);
  const database = await openEmbeddedMongodb({ dataDir, listen });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(
      signal,
      () =>
        void database.close().then(
          () => process.exit(0),
          (error) => {
            process.stderr.write(`${(error as Error).message}\n`);
            // process.exit would wait for the thread that does not end.
            process.kill(process.pid, 'SIGKILL');
          },
        ),
    );
  }
  void database.died.then((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  process.stdout.write(`${database.listenUrl}\n`);
}

async function check(dataDir: string): Promise<void> {
  refuseOtherDirectory(dataDir);
  const { collections, documents, errors } = await checkDataDir(dataDir);
  for (const error of errors) process.stderr.write(`${error}\n`);
  process.stdout.write(`${collections} collections, ${documents} documents, ${errors.length} errors\n`);
  process.exitCode = errors.length > 0 ? 1 : 0;
}

const [first, second, ...more] = process.argv.slice(2);
try {
  if (first === '--check' && second && more.length === 0) await check(second);
  else if (first && second && more.length === 0) await serve(first, second);
  else {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
  }
} catch (error) {
  if (!(error instanceof EmbeddedMongodbError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
