import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

const ONE_BUILD = fileURLToPath(new URL('../../scripts/one-build.mjs', import.meta.url));

/** Root may write everything, whatever the modes say, unless it gives that right up. */
const UNPRIVILEGED = process.getuid?.() === 0 ? ['setpriv', '--inh-caps=-all', '--bounding-set=-all'] : [];

/** The seconds in which nobody touches a lock pass at once. */
const BUILDS = `
  const since = performance.now.bind(performance);
  performance.now = () => since() * 1_000;
  const { oneBuild } = await import('./scripts/one-build.mjs');
  await oneBuild(async () => console.log('built'));
`;

it.runIf(process.platform === 'linux')(
  'builds beside a lock that was left where it may not write',
  async () => {
    const root = await temporaryFolder();
    for (const folder of ['scripts', 'node_modules']) mkdirSync(join(root, folder));
    copyFileSync(ONE_BUILD, join(root, 'scripts/one-build.mjs'));
    const modules = join(root, 'node_modules');
    writeFileSync(join(modules, '.parlor-build'), "another user's");
    onTestFinished(() => chmodSync(modules, 0o755));
    chmodSync(modules, 0o555);
    const [command = '', ...args] = [...UNPRIVILEGED, process.execPath, '--input-type=module', '-e', BUILDS];
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([
      0,
      'built\n',
      'Another process is building: waiting for it …\n',
    ]);
    expect(readdirSync(modules)).toEqual(['.parlor-build']);
  },
);
