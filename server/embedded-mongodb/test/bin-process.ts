/** The package's own bin in a child process, so that it can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url));

export interface BinProcess {
  url: string;
  process: ChildProcess;
  /** Ends it with this signal, and waits for its end. Gives its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** A folder for one test, and what removes it. */
export function temporaryFolder(parent = tmpdir()): { path: string; remove(): void } {
  const path = mkdtempSync(join(parent, 'pem-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Starts the bin. Fails with what it says on stderr when it ends instead.
 * @param options of Node.js
 */
export function startBin(dataDir: string, listen: string, options: string[] = []): Promise<BinProcess> {
  const args = [...options, BIN, dataDir, listen];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return new Promise((resolve, reject) => {
    let complaint = '';
    child.stderr.on('data', (text) => {
      complaint += text;
    });
    void ended.then(() => reject(new Error(complaint.trim())));
    child.stdout.once('data', (line) => {
      resolve({
        url: String(line).trim(),
        process: child,
        end: (signal) => {
          child.kill(signal);
          return ended;
        },
      });
    });
  });
}
