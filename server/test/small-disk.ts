import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export const MIB = 1024 * 1024;

/** A small disk of its own, where this user may mount one. */
export const smallDisk = async (bytes: number): Promise<string | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), 'parlor-full-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
  onTestFinished(async () => {
    if (status === 0) execFileSync('umount', [folder]);
    await rm(folder, { recursive: true, force: true });
  });
  return status === 0 ? folder : undefined;
};
