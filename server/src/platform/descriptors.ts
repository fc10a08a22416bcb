import { readFileSync } from 'node:fs';
import { ConfigError } from './config.ts';

/** Fewer do not suffice to load the server: Node.js opens its modules many at a time, and says of some that they are not there. */
const MIN_DESCRIPTORS = 512;

/** The descriptors that this process may have open (RLIMIT_NOFILE); undefined where the system does not say. */
export const descriptorLimit = (): number | undefined => {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
};

/** @throws ConfigError where too few may be open for a server to start */
export const checkDescriptors = (): void => {
  const limit = descriptorLimit() ?? MIN_DESCRIPTORS;
  if (limit >= MIN_DESCRIPTORS) return;
  throw new ConfigError(
    `${limit} files may be open at once, and it needs ${MIN_DESCRIPTORS} at least: ulimit -n 1024`,
  );
};
