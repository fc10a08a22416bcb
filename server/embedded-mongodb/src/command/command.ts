/** What a command is, and what it is given. */

import type { Doc } from '../bson/document.ts';
import type { Engine } from '../query/engine.ts';
import type { Connection } from '../wire/connection.ts';
import type { Fields } from './field-types.ts';

export interface CommandCall {
  engine: Engine;
  connection: Connection;
  name: string;
  db: string;
  body: Doc;
  /** The document sequences that came beside the body. */
  sequences: Map<string, Buffer[]>;
  /** When maxTimeMS runs out, by `performance.now()`. */
  deadline: number;
}

/** A command's answer: a document (`ok: 1` is added), or a whole answer in BSON. */
export type CommandResult = Doc | Uint8Array;

export interface Command {
  /** The fields that it understands, beside its name and the ones that every command has. */
  fields: Fields;
  /** Fields that MongoDB has for it and that are refused by name unless they ask for nothing. */
  refused?: Fields;
  /** Whether a write concern means anything to it. */
  isWrite?: boolean;
  run(call: CommandCall): CommandResult | Promise<CommandResult>;
}
