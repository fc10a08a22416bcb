import { isUuid } from '@parlor/shared';
import { COPY, type Document, sealed } from './account-copy.ts';
import { type AccountCollection, accountCollections, type DeletionProgress } from './account-data.ts';
import type { AccountLeases, KeptLease } from './account-leases.ts';
import { ForeignObjects, type ReadDocument } from './foreign-objects.ts';
import { HeldWaysIn } from './held-ways-in.ts';
import { type ImportCaller, NOBODY } from './import-caller.ts';
import { ConcurrentImport, leaseForImport } from './import-lease.ts';
import { holdsAccount, ImportError, isAccount, ownerIn, readLine } from './import-lines.ts';
import { ImportQuotas } from './import-quotas.ts';
import { insertAccount, insertMissing, refusedByDatabase, type WriteParts } from './import-writes.ts';
import { NeededObjects } from './needed-objects.ts';
import type { ImportRun, UnfinishedImports } from './unfinished-imports.ts';
import { flawIn } from './whole-objects.ts';

export { ImportError };

/** How many documents are written at a time, and of how many characters as their lines have them. */
const BATCH = 500;
const BATCH_CHARACTERS = 4 * 1_024 * 1_024;

/** What an import needs besides. */
interface Importing extends WriteParts {
  earlierObjects: Earlier;
  accountDeletion: Deleted;
  leases: Pick<AccountLeases, 'keep'>;
  unfinishedImports: Pick<UnfinishedImports, 'begin'>;
}

/** What makes findable what an account brings. */
interface Earlier {
  request(account: string): Promise<void>;
}

/** Accounts that were deleted here a moment ago, of which something may be left. */
interface Deleted {
  finish(account: string, lease: KeptLease, progress: DeletionProgress): Promise<void>;
  discard(account: string, lease: KeptLease, progress: DeletionProgress): Promise<boolean>;
}

/**
 * Reads in what exportAccount wrote. The account comes last, so that nobody sees half of it; of an import that was
 * broken off nothing is taken for the next one's, of one that is refused, or of which something could not be stored, nothing
 * stays. Nothing of it joins what is here already, of this account or another one.
 * @returns the account's username
 * @throws ImportError
 */
export const importAccount = async (
  parts: Importing,
  lines: AsyncIterable<string>,
  caller: ImportCaller = NOBODY,
): Promise<string> => {
  const one = new AccountImport(parts, caller);
  try {
    return await one.read(lines);
  } catch (error) {
    if (error instanceof ConcurrentImport) throw error;
    if (error instanceof ImportError) await one.discard();
    // A database that is away has to be asked again; one that took no object would not take it the next time.
    else if (one.isStuck && (await one.discard().catch(() => false))) throw refusedByDatabase(error);
    throw error;
  } finally {
    await one.end();
  }
};

/** The documents of a kind that wait to be written together. */
interface Batch {
  kind: string;
  read: ReadDocument[];
  characters: number;
}

const noBatch = (kind = ''): Batch => ({ kind, read: [], characters: 0 });

class AccountImport {
  readonly #parts: Importing;
  readonly #caller: ImportCaller;
  #collections = new Map<string, AccountCollection>();
  #others: ForeignObjects | undefined;
  #account: string | undefined;
  #lease: KeptLease | undefined;
  #run: ImportRun | undefined;
  #batch = noBatch();
  readonly #waysIn = new HeldWaysIn();
  readonly #quotas = new ImportQuotas();
  readonly #needed: NeededObjects;
  #isStuck = false;

  constructor(parts: Importing, caller: ImportCaller) {
    this.#parts = parts;
    this.#caller = caller;
    this.#needed = new NeededObjects(parts.collections, (kind, ids) => this.#areThere(kind, ids));
  }

  async read(lines: AsyncIterable<string>): Promise<string> {
    let count = 0;
    let last: { value: unknown; line: number } | undefined;
    for await (const line of lines) {
      count++;
      if (line.trim() === '' && count > 1) continue;
      if (last) throw new ImportError(`line ${count}: it stands behind the account, which is the last line`);
      const [kind, value] = readLine(line, count);
      if (count === 1) await this.#readHead(line, kind, value);
      else if (kind === 'account') last = { value, line: count };
      else await this.#store(() => this.#take(kind, value as Document, line.length, count));
      this.#caller.progress(`importing ${count}`);
    }
    if (!last) throw new ImportError(`line ${count + 1}: the end is missing, which is the account itself`);
    const { value, line } = last;
    return this.#store(() => this.#finish(value, line));
  }

  /** Whether something failed to be stored. What fails to be read, or is stopped, goes on when it is done again. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  async #store<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      this.#isStuck = this.#run !== undefined;
      throw error;
    }
  }

  /** Deletes what was written, where that was begun. @returns false where it stays, since the account is here */
  async discard(): Promise<boolean> {
    if (!this.#run || !this.#lease || this.#account === undefined) return true;
    await this.#run.renew();
    return this.#parts.accountDeletion.discard(this.#account, this.#lease, this.#clearing);
  }

  readonly #clearing = (collection: string): void => this.#caller.progress(`clearing away ${collection}`);

  async end(): Promise<void> {
    // It is done all the same, and the lease runs out.
    await this.#run?.giveBack().catch(() => undefined);
  }

  async #readHead(line: string, kind: string, value: unknown): Promise<void> {
    if (kind !== 'format' || value !== COPY.format) {
      throw new ImportError('line 1: not an export of an account');
    }
    const { version } = JSON.parse(line) as { version?: unknown };
    if (version !== COPY.version) throw new ImportError('line 1: an export of another version');
    const collections = await accountCollections(this.#parts.collections, '');
    this.#collections = new Map(collections.map((one) => [one.name, one]));
    // Until it is known whose file it is, all are others.
    this.#others = this.#foreignTo('');
  }

  #foreignTo(account: string): ForeignObjects {
    return new ForeignObjects(account, this.#parts.models.accounts, this.#parts.collections);
  }

  async #begin(account: string): Promise<void> {
    const { accountDeletion, leases, models, unfinishedImports } = this.#parts;
    this.#account = account;
    const lease = await leaseForImport(leases, account, this.#caller.stopped);
    try {
      await accountDeletion.finish(account, lease, this.#clearing);
      if (await models.accounts.exists({ _id: account })) {
        throw new ImportError('the account is here already');
      }
      this.#run = await unfinishedImports.begin(account, lease, this.#clearing);
      this.#lease = lease;
    } catch (error) {
      await lease.giveBack().catch(() => undefined);
      throw error;
    }
    this.#others = this.#foreignTo(account);
  }

  async #take(kind: string, document: Document, characters: number, line: number): Promise<void> {
    const collection = this.#collections.get(kind);
    if (!collection || typeof document?._id !== 'string') {
      throw new ImportError(`line ${line}: unknown kind "${kind.slice(0, 40)}"`);
    }
    // One file holds one account's objects: none of another can be smuggled in.
    const owner = ownerIn(this.#parts, kind, document);
    if (typeof owner === 'string' && isUuid(owner) && this.#account === undefined) await this.#begin(owner);
    const isOwn = owner === undefined ? !holdsAccount(this.#parts, kind) : owner === this.#account;
    if (!isOwn) throw new ImportError(`line ${line}: an object of another account`);
    this.#checkWhole(kind, document, line);
    this.#quotas.count(kind, document._id, line);
    const hasField = (name: string) => collection.model.schema.path(name) !== undefined;
    await this.#add(kind, { document: sealed(document, this.#parts, hasField), line }, characters);
  }

  #checkWhole(kind: string, document: Document, line: number): void {
    const mapped = this.#parts.collections.find(({ name }) => name === kind);
    const flaw = mapped && flawIn(mapped, document);
    if (flaw !== undefined) throw new ImportError(`line ${line}: an object ${flaw}`);
  }

  async #add(kind: string, read: ReadDocument, characters: number): Promise<void> {
    if (HeldWaysIn.isOne(kind)) {
      this.#waysIn.add(kind, read, characters);
      return this.#checkOwn(kind, [read]);
    }
    const { length } = this.#batch.read;
    const isFull = length >= BATCH || this.#batch.characters + characters > BATCH_CHARACTERS;
    if (kind !== this.#batch.kind || isFull) await this.#flush();
    this.#batch.kind = kind;
    this.#batch.read.push(read);
    this.#batch.characters += characters;
  }

  async #flush(): Promise<void> {
    const { kind, read } = this.#batch;
    this.#batch = noBatch();
    if (read.length > 0) await this.#checkOwn(kind, read);
    await this.#needed.note(kind, read);
    await this.#write(
      kind,
      read.map(({ document }) => document),
    );
  }

  async #areThere(kind: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const held = this.#waysIn.idsOf(kind);
    const those = { _id: { $in: ids }, account: this.#account };
    const stored = await this.#collections.get(kind)?.model.find(those, { _id: 1 }).lean();
    return new Set([...held, ...(stored ?? []).map(({ _id }) => String(_id))]);
  }

  async #write(kind: string, documents: Document[]): Promise<void> {
    const model = this.#collections.get(kind)?.model;
    if (!model || documents.length === 0) return;
    await this.#run?.renew();
    await insertMissing(model, documents, this.#parts);
  }

  async #checkOwn(kind: string, read: readonly ReadDocument[]): Promise<void> {
    const foreign = await this.#others?.namedIn(kind, read);
    if (foreign !== undefined) {
      const { uuid, line } = foreign;
      throw new ImportError(`line ${line}: an object names ${uuid}, which is another account's`);
    }
  }

  async #finish(value: unknown, line: number): Promise<string> {
    if (!isAccount(value)) throw new ImportError(`line ${line}: not an account`);
    this.#checkWhole('accounts', value, line);
    if (this.#account === undefined) await this.#begin(value._id);
    if (this.#account !== value._id) throw new ImportError('the account is another one');
    await this.#flush();
    await this.#needed.check();
    await this.#checkOwn('accounts', [{ document: value, line }]);
    // Before the account is there: whoever dies in between has asked.
    await this.#parts.earlierObjects.request(value._id);
    for (const [kind, documents] of this.#waysIn) await this.#write(kind, documents);
    await this.#run?.renew();
    const username = await insertAccount(this.#parts, value);
    // It is there all the same, and the sweeper sees that it is.
    await this.#run?.through().catch(() => undefined);
    return username;
  }
}
