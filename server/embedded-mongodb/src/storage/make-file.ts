import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';

/** Makes a file that only its owner reads, and writes it down for good. Fails with the system's errors, EEXIST where there is one. */
export function makeFile(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
