import { readlinkSync } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { keptSecretKey } from './secret-key-file.ts';

/** What is written down for good from now on, and what there was in a folder then. */
const flushed = async (folder: string) => {
  const handle = await open(folder);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const seen: [path: string, files: string[]][] = [];
  const spied = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    seen.push([readlinkSync(`/proc/self/fd/${this.fd}`), await readdir(folder)]);
  });
  onTestFinished(() => spied.mockRestore());
  return seen;
};

it.runIf(process.platform === 'linux')(
  'a key that is made has its name for good before it seals',
  async () => {
    const folder = await temporaryFolder();
    const seen = await flushed(folder);
    const made = await keptSecretKey(folder, []);
    expect(seen).toEqual([[folder, ['secret-key']]]);
    expect(await keptSecretKey(folder, [])).toBe(made);
  },
);
