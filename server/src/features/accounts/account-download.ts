import { addAbortSignal, Readable } from 'node:stream';
import type { FieldKind, MappedCollection } from '../../database/collection-data.ts';
import { forbidden, isRefusal, throttled } from '../../platform/errors.ts';
import { accountObjects } from './account-objects.ts';
import type { Account } from './accounts.model.ts';

const FORMAT = 'parlor-account-data';
const VERSION = 1;

/** Lines are sent together, up to this many characters. */
const PIECE_CHARACTERS = 32_768;

/** How many downloads are under way at a time in a process, and what who comes then is told to wait. */
const MAX_DOWNLOADS = 8;
const WAIT_MS = 60_000;

/** A download that goes on for longer is broken off: whoever reads a few bytes now and then keeps others waiting. */
const LONGEST_MS = 3_600_000;

/** How often who reads slowly is looked at: of a download whose credential has ended nothing is sent, and its place is free. */
const CHECKED_EVERY_MS = 2_000;

const SECRET: readonly FieldKind[] = ['sealed', 'keyed', 'hashed'];

/** What of a document its owner is shown: neither what signs somebody in, nor what is still to be announced. */
const withoutSecrets = ({ data: { fields, opens = [] } }: MappedCollection) => {
  const isSecret = (kind: string) => SECRET.includes(kind as FieldKind);
  const kept = new Set(Object.entries(fields).flatMap(([kind, names]) => (isSecret(kind) ? [] : names)));
  kept.delete('events');
  return (document: object): object => {
    const shown = Object.fromEntries(Object.entries(document).filter(([name]) => kept.has(name)));
    return opens.reduce((rest, path) => without(rest, path.split('.')), shown);
  };
};

type Values = Record<string, unknown>;

/** The same without what stands at a path, where there is something. */
const without = (values: Values, [name = '', ...path]: readonly string[]): Values => {
  const { [name]: value, ...others } = values;
  if (path.length === 0) return others;
  if (typeof value !== 'object' || value === null) return values;
  return { ...others, [name]: without(value as Values, path) };
};

async function* linesOf(collections: readonly MappedCollection[], account: Account): AsyncGenerator<string> {
  yield JSON.stringify({ format: FORMAT, version: VERSION, username: account.username });
  const shown = new Map(collections.map((collection) => [collection.name, withoutSecrets(collection)]));
  const shownOf = (name: string, document: object): object => {
    const show = shown.get(name);
    if (!show) throw new Error(`the map of data has no ${name}`);
    return show(document);
  };
  for await (const { name, document } of accountObjects(collections, account._id)) {
    yield JSON.stringify({ [name]: shownOf(name, document) });
  }
  yield JSON.stringify({ account: shownOf('accounts', account) });
}

/** @param check throws when no more of it may be sent; what is read last is checked, too */
async function* piecesOf(lines: AsyncIterable<string>, check: () => Promise<void>): AsyncGenerator<string> {
  let piece = '';
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    await check();
    yield piece;
    piece = '';
  }
  await check();
  yield piece;
}

/** Who may download an account, as it stands now; undefined for one who has been removed, and while the account is deleted. */
type ActiveMember = (account: string, member: string) => Promise<{ role: string } | undefined>;

/**
 * Everything of an account for its owner to keep, as JSON lines (docs/contract.md#account): as it is stored, but for
 * secrets. The account itself comes last: a file without it is not whole.
 */
export class AccountDownloads {
  readonly #collections: readonly MappedCollection[];
  readonly #active: ActiveMember;
  readonly #longest: number;
  readonly #underWay = new Set<string>();

  /** @param longest milliseconds after which one is broken off */
  constructor(collections: readonly MappedCollection[], active: ActiveMember, longest = LONGEST_MS) {
    this.#collections = collections;
    this.#active = active;
    this.#longest = longest;
  }

  /**
   * Reads an account for one of its owners; breaks off when that is none any more, and when the account is deleted.
   * @param requireCredential throws once the credential that asked for it is taken no more; it breaks off then, too
   * @throws ParlorError `throttled` while another one of the account is under way, or too many of others
   */
  open(account: Account, owner: string, requireCredential: () => Promise<unknown>): Readable {
    const underWay = this.#underWay;
    if (underWay.has(account._id) || underWay.size >= MAX_DOWNLOADS) throw throttled(WAIT_MS);
    underWay.add(account._id);
    const check = async (): Promise<void> => {
      await requireCredential();
      const member = await this.#active(account._id, owner);
      if (member?.role !== 'owner') throw forbidden();
    };
    const lines = linesOf(this.#collections, account);
    const stream = Readable.from(piecesOf(lines, check), { objectMode: false });
    addAbortSignal(AbortSignal.timeout(this.#longest), stream);
    const look = () => check().catch((error) => isRefusal(error) && stream.destroy(error));
    const looks = setInterval(look, CHECKED_EVERY_MS).unref();
    return stream.once('close', () => {
      clearInterval(looks);
      underWay.delete(account._id);
    });
  }
}
