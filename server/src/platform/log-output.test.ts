import { execFileSync } from 'node:child_process';
import { constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { LogOutput } from './log-output.ts';

const LINE = `${'x'.repeat(1_023)}\n`;

/**
 * A pipe that nobody reads unless `read` is called, which gives all that is in it. It stays open, as a process's own output
 * does: what is tried again after a test would go to whichever file of the next one has got its number.
 */
const openPipe = async () => {
  const file = join(await temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [file]);
  const fd = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  const read = (): string => {
    const bytes = Buffer.alloc(1_048_576);
    try {
      return bytes.toString('utf8', 0, readSync(fd, bytes));
    } catch {
      return '';
    }
  };
  return { fd, read };
};

it.skipIf(process.platform === 'win32')(
  'of what a reader does not take 1 MiB is kept, in order, and the rest is lost by whole lines',
  async () => {
    const { fd, read } = await openPipe();
    const output = new LogOutput(fd);
    for (let i = 0; i < 4_000; i++) output.write(`${i} ${LINE}`);
    let text = '';
    const readUntil = (isEnough: () => boolean) =>
      expect
        .poll(
          () => {
            text += read();
            return isEnough();
          },
          { interval: 10, timeout: 60_000 },
        )
        .toBe(true);
    await readUntil(() => text.length > 1_000_000);
    output.write('the next\n');
    await readUntil(() => text.endsWith('the next\n'));
    const numbers = text
      .split('\n')
      .slice(0, -2)
      .map((line) => Number(line.split(' ')[0]));
    expect(numbers).toEqual(numbers.map((_, i) => i));
    expect(numbers.length).toBeLessThan(1_100);
  },
);

it.skipIf(process.platform === 'win32')(
  'a pipe that nobody reads does not keep a process from its end',
  async () => {
    const { fd, read } = await openPipe();
    const output = new LogOutput(fd);
    for (let i = 0; i < 200; i++) output.write(LINE);
    output.flushSync();
    expect(read()).toContain(LINE);
  },
);

it.skipIf(process.platform === 'win32')(
  'at the end of a process the rest of what a full pipe has taken in part comes first, and each line is whole',
  async () => {
    const { fd, read } = await openPipe();
    const output = new LogOutput(fd);
    // What the pipe has not taken waits to be tried again, and for no longer than the test wants.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    for (let i = 0; i < 100; i++) output.write(`${i} ${LINE}`);
    while (vi.getTimerCount() === 0) await setImmediate();
    const taken = read();
    output.write('the last\n');
    output.flushSync();
    const text = taken + read();
    expect(taken.length).toBeLessThan(100 * LINE.length);
    expect(text).toContain(`99 ${LINE}`);
    expect(text.split('\n').filter((line) => line !== '' && !/^\d+ x{1023}$/.test(line))).toEqual([
      'the last',
    ]);
  },
);
