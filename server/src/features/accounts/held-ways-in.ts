import type { Document } from './account-copy.ts';
import type { ReadDocument } from './foreign-objects.ts';
import { ImportError } from './import-lines.ts';

/** By what people and programs get in: it comes last but the account itself, so that nobody uses half of one. */
const WAYS_IN: ReadonlySet<string> = new Set(['members', 'tokens', 'widgets', 'workflows']);

/** What of it waits in memory, as its lines have it; as many and as long as an account may have them take half of that. */
const MAX_CHARACTERS = 32 * 1_024 * 1_024;

/** The ways into an account, until the rest of it is there. */
export class HeldWaysIn {
  readonly #held = new Map<string, Document[]>();
  #characters = 0;

  /** @param characters of the line that it stood on @throws ImportError where all are more than any account has */
  add(kind: string, { document, line }: ReadDocument, characters: number): void {
    this.#characters += characters;
    if (this.#characters > MAX_CHARACTERS) {
      const all = 'members, tokens, widgets and workflows';
      throw new ImportError(`line ${line}: ${all} of more than ${MAX_CHARACTERS} characters`);
    }
    const held = this.#held.get(kind) ?? [];
    held.push(document);
    this.#held.set(kind, held);
  }

  idsOf(kind: string): string[] {
    return this.#held.get(kind)?.map(({ _id }) => _id) ?? [];
  }

  [Symbol.iterator](): Iterator<[kind: string, documents: Document[]]> {
    return this.#held.entries();
  }

  static isOne(kind: string): boolean {
    return WAYS_IN.has(kind);
  }
}
