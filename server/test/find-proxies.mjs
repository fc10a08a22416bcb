import { spawnSync } from 'node:child_process';

/** Debian keeps both where only root's PATH leads. */
export const PROXY_PATH = `${process.env.PATH}:/usr/local/sbin:/usr/sbin`;

/** The proxies that tests run through, when they are installed. */
export const PROXIES = /** @type {const} */ (['nginx', 'haproxy']);

/** Those that tests can't run through here: on Linux their packages bring them, and it has addresses to come from. */
export const missingProxies = () =>
  PROXIES.filter(
    (name) =>
      process.platform !== 'linux' || spawnSync(name, ['-v'], { env: { PATH: PROXY_PATH } }).status !== 0,
  );
