import { afterAll, beforeAll } from 'vitest';
import { owner } from './rest.ts';
import { type AtEnd, type ServerProcess, serverSettings, startServerProcess } from './server-process.ts';

/** Takes what goes away after all tests of a file, or of the block in which this is called. */
export const afterThem = (): AtEnd => {
  const ends: Parameters<AtEnd>[0][] = [];
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return (end) => void ends.unshift(end);
};

/** A server for all tests of a file, which have accounts of their own: to start one takes as long as many of them. */
export const useServer = (env: Record<string, string> = {}): (() => ServerProcess) => {
  let server: ServerProcess;
  const atEnd = afterThem();
  beforeAll(async () => {
    const settings = { ...(await serverSettings(atEnd)), RATE_LIMIT: 'off', ...env };
    server = await startServerProcess(settings, undefined, atEnd);
  });
  return () => server;
};

let count = 0;
/** An owner with an account of its own on a server that others use, too. */
export const oneOwner = async (url: string) => {
  const username = `ada-${++count}`;
  return { ...(await owner(url, username)), username };
};
