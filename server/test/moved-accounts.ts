import { EventEmitter, once } from 'node:events';
import { exportAccount } from '../src/features/accounts/account-copy.ts';
import { deleteAccount } from '../src/features/accounts/account-data.ts';
import { importAccount } from '../src/features/accounts/account-import.ts';
import type { TestApp } from './app.ts';
import { type Fixtures, makeFixtures } from './fixtures.ts';
import { testMembers } from './members.ts';

/** A line of an export. */
export type Line = Record<string, any>;

/** Changes the first object of a kind that fits. */
export const changed = (
  lines: readonly Line[],
  kind: string,
  change: (document: any) => void,
  fits = (_: any) => true,
): Line[] => {
  const copy = structuredClone(lines) as Line[];
  const line = copy.find((one) => one[kind] && fits(one[kind]));
  if (!line) throw new Error(`the file has no ${kind}`);
  change(line[kind]);
  return copy;
};

async function* each(lines: readonly Line[]): AsyncGenerator<string> {
  for (const line of lines) yield JSON.stringify(line);
}

/** Exports, and imports, of the accounts of an app. */
export const movedAccounts = (app: TestApp) => {
  const { member } = testMembers(app);

  const accountOf = async (username: string) => {
    const account = await app.services.accounts.byUsername(username);
    if (!account) throw new Error('no such account');
    return account;
  };

  const exported = async (username: string): Promise<Line[]> => {
    const lines: Line[] = [];
    for await (const line of exportAccount(app.services, await accountOf(username)))
      lines.push(JSON.parse(line));
    return lines;
  };

  /** The file of an account that has moved away from here. @param before what else happens in it */
  const moved = async (before: (fixtures: Fixtures) => Promise<void> = async () => undefined) => {
    const fixtures = await makeFixtures(app);
    await before(fixtures);
    const { _id: id } = await accountOf(fixtures.username);
    const operator = await member(fixtures.token, 'operator', { widgets: [] });
    const lines = await exported(fixtures.username);
    await deleteAccount(app.services, id);
    await app.services.accountDeletion.finish(id);
    return { fixtures, id, lines, operator: operator.token };
  };

  const read = (lines: readonly Line[]) => importAccount(app.services, each(lines));

  /** An import that waits for the rest of its lines, as a rule for the last one, and what lets it go on or breaks it off. */
  const openImport = async (lines: readonly Line[], rest = lines.slice(-1)) => {
    const gate = new EventEmitter();
    const isGoingOn = once(gate, 'rest');
    const waits = once(gate, 'waits');
    async function* slowly() {
      yield* each(lines.filter((line) => !rest.includes(line)));
      gate.emit('waits');
      await isGoingOn;
      yield* each(rest);
    }
    const ended = importAccount(app.services, slowly());
    ended.catch(() => undefined);
    await waits;
    return {
      ended,
      goOn: () => gate.emit('rest'),
      breakOff: () => gate.emit('error', new Error('the other side has gone')),
    };
  };

  return { accountOf, each, exported, moved, openImport, read };
};
