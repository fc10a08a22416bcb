import { Readable } from 'node:stream';
import type { FieldKind, MappedCollection } from '../../database/collection-data.ts';
import { throttled } from '../../platform/errors.ts';
import { accountCollections, READ_AT_ONCE } from './account-data.ts';
import type { Account } from './accounts.model.ts';

const FORMAT = 'parlor-account-data';
const VERSION = 1;

/** Lines are sent together, up to this many characters. */
const PIECE_CHARACTERS = 32_768;

/** How many downloads are under way at a time in a process, and what who comes then is told to wait. */
const MAX_DOWNLOADS = 8;
const WAIT_MS = 60_000;

const SECRET: readonly FieldKind[] = ['sealed', 'keyed', 'hashed'];

/** What of a document its owner is shown: neither what signs somebody in, nor what is still to be announced. */
const withoutSecrets = ({ data: { fields } }: MappedCollection) => {
  const isSecret = (kind: string) => SECRET.includes(kind as FieldKind);
  const kept = new Set(Object.entries(fields).flatMap(([kind, names]) => (isSecret(kind) ? [] : names)));
  kept.delete('events');
  return (document: object): object =>
    Object.fromEntries(Object.entries(document).filter(([name]) => kept.has(name)));
};

async function* linesOf(collections: readonly MappedCollection[], account: Account): AsyncGenerator<string> {
  yield JSON.stringify({ format: FORMAT, version: VERSION, username: account.username });
  const shownOf = (wanted: string) => {
    const found = collections.find(({ name }) => name === wanted);
    if (!found) throw new Error(`the map of data has no ${wanted}`);
    return withoutSecrets(found);
  };
  for (const { name, model, filter, sort } of await accountCollections(collections, account._id)) {
    const shown = shownOf(name);
    for await (const document of model.find(filter).sort(sort).lean().cursor({ batchSize: READ_AT_ONCE })) {
      yield JSON.stringify({ [name]: shown(document) });
    }
  }
  yield JSON.stringify({ account: shownOf('accounts')(account) });
}

async function* piecesOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/**
 * Everything of an account for its owner to keep, as JSON lines (docs/contract.md#account): as it is stored, but for
 * secrets. The account itself comes last: a file without it is not whole.
 */
export class AccountDownloads {
  readonly #collections: readonly MappedCollection[];
  readonly #underWay = new Set<string>();

  constructor(collections: readonly MappedCollection[]) {
    this.#collections = collections;
  }

  /** @throws ParlorError `throttled` while another one of the account is under way, or too many of others */
  open(account: Account): Readable {
    const underWay = this.#underWay;
    if (underWay.has(account._id) || underWay.size >= MAX_DOWNLOADS) throw throttled(WAIT_MS);
    underWay.add(account._id);
    const pieces = piecesOf(linesOf(this.#collections, account));
    return Readable.from(pieces, { objectMode: false }).once('close', () => underWay.delete(account._id));
  }
}
