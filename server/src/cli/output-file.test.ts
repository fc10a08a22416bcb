import { readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { UsageError } from './arguments.ts';
import { OutputFile } from './output-file.ts';

const writeInto = async (folder: string) => {
  const file = join(folder, 'ada.jsonl');
  const output = await OutputFile.create(file);
  await output.write('a line');
  return { file, output };
};

it('has its name when it is whole, and leaves nothing beside it', async () => {
  const folder = await temporaryFolder();
  const { file, output } = await writeInto(folder);
  expect(await readdir(folder)).toEqual(['ada.jsonl.partial']);
  await output.finish();
  expect(await readdir(folder)).toEqual(['ada.jsonl']);
  expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['a line\n', 0o600]);
});

it('takes the place of nothing that was made there meanwhile', async () => {
  const folder = await temporaryFolder();
  const { file, output } = await writeInto(folder);
  await writeFile(file, "somebody else's");
  await expect(output.finish()).rejects.toThrow(new UsageError(`${file} can't be written: EEXIST`));
  await output.abandon();
  expect(await readdir(folder)).toEqual(['ada.jsonl']);
  expect(await readFile(file, 'utf8')).toBe("somebody else's");
});

it.skipIf(process.platform === 'win32')('takes the place of no link that leads nowhere', async () => {
  const file = join(await temporaryFolder(), 'ada.jsonl');
  await symlink('elsewhere', file);
  await expect(OutputFile.create(file)).rejects.toThrow(UsageError);
  expect(await readlink(file)).toBe('elsewhere');
});
