import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import type { Fixtures } from '../../../test/fixtures.ts';
import { changed, type Line, movedAccounts } from '../../../test/moved-accounts.ts';
import { deleteAccount } from './account-data.ts';
import { importAccount } from './account-import.ts';

const app = testApp({ WEBHOOK_RETRY_DELAYS: '1h' });
const { moved, read } = movedAccounts(app);

/** Some kilobytes that no bound forbids. */
const TEXT = 'x'.repeat(10_000);

describe('an import of what would fill the thread or the memory of a server', () => {
  let fixtures: Fixtures;
  let id = '';
  let lines: Line[] = [];

  beforeAll(async () => {
    ({ fixtures, id, lines } = await moved());
  });

  /** The same file, with more objects like its first one of a kind. */
  const withMore = (kind: string, count: number, change: (document: any) => void): Line[] => {
    const [first] = lines.flatMap((line) => line[kind] ?? []);
    const more = Array.from({ length: count }, () => {
      const document = { ...structuredClone(first), _id: randomUUID() };
      change(document);
      return { [kind]: document };
    });
    return [...lines.slice(0, -1), ...more, ...lines.slice(-1)];
  };

  it.each<[string, string, (one: any) => void]>([
    ['objects', 'messages', (one) => (one.zz = Array(40_000).fill({}))],
    ['fields', 'messages', (one) => (one.zz = Object.fromEntries(Array(40_000).fill(0).entries()))],
    ['short lists', 'audit', (one) => (one.actor.more = Array(40).fill(Array(999).fill(0)))],
  ])('reads no line of more than 30 000 values: %s', async (_, kind, change) => {
    const file = changed(lines, kind, change);
    const line = 1 + file.findIndex((one) => (one[kind] ? JSON.stringify(one).length > 40_000 : false));
    await expect(read(file)).rejects.toThrow(`line ${line}: more than 30000 values`);
  });

  it('refuses a field that no version has, as soon as it reads it', async () => {
    const file = changed(lines, 'messages', (one) => (one['z\nz'] = 'a'));
    const line = 1 + file.findIndex(({ messages }) => messages?.['z\nz']);
    await expect(read(file)).rejects.toThrow(`line ${line}: an object with an unknown field: z z`);
    const account = changed(lines, 'account', (one) => (one.zz = 'a'));
    await expect(read(account)).rejects.toThrow(`line ${lines.length}: an object with an unknown field: zz`);
  });

  it('writes at most some megabytes at a time', async () => {
    const file = withMore('audit', 60, (one) => (one.actor.more = Array(50).fill(TEXT)));
    const written: number[] = [];
    const { audit } = app.services.models;
    const insert = audit.insertMany.bind(audit) as (documents: unknown) => Promise<any>;
    const spy = vi.spyOn(audit, 'insertMany').mockImplementation(((documents: unknown) => {
      written.push(JSON.stringify(documents).length);
      return insert(documents);
    }) as never);
    expect(await read(file)).toBe(fixtures.username);
    spy.mockRestore();
    expect(Math.max(...written)).toBeLessThan(4 * 1_024 * 1_024);
    expect(written.reduce((sum, one) => sum + one)).toBeGreaterThan(60 * 50 * TEXT.length);
    await deleteAccount(app.services, id);
    await app.services.accountDeletion.finish(id);
  });

  it('holds no more of what lets people and programs in than an account may have', async () => {
    async function* padded() {
      for (const line of lines) {
        const [kind = '', value] = Object.entries(line)[0] ?? [];
        const pad = ['members', 'widgets'].includes(kind) ? ' '.repeat(17_000_000) : '';
        yield line === lines[0] ? JSON.stringify(line) : `{"${kind}":${pad}${JSON.stringify(value)}}`;
      }
    }
    await expect(importAccount(app.services, padded())).rejects.toThrow(
      /^line \d+: members, tokens, widgets and workflows of more than 33554432 characters$/,
    );
  });

  it('takes a graph with as many problems as one may have, and any signs in texts', async () => {
    const problems = Array(27_000).fill('a');
    const signs = changed(lines, 'audit', (one) => (one.actor.more = Array(10).fill(',[{"\\'.repeat(2_000))));
    expect(await read(changed(signs, 'graphs', (one) => (one.problems = problems)))).toBe(fixtures.username);
  });
});
