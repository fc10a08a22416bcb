/** From a request to its answer: finds the command, checks its fields, runs it, shapes its errors. */

import { type Doc, encode } from '../bson/document.ts';
import { checkCommandLevels } from '../bson/nesting.ts';
import { checkReadable } from '../bson/storable.ts';
import { MongoError } from '../errors/mongo-error.ts';
import type { Engine } from '../query/engine.ts';
import type { Answer } from '../wire/connection.ts';
import type { Request } from '../wire/message.ts';
import { checkCommandFields } from './check-fields.ts';
import type { Command, CommandResult } from './command.ts';
import { checkGenericFields } from './generic-fields.ts';
import { COMMANDS } from './registry.ts';

/** The function that answers all requests to this engine. */
export function dispatcher(engine: Engine): Answer {
  return (request, connection) => {
    try {
      const name = Object.keys(request.body)[0] ?? '';
      const command = findCommand(name, request);
      const db = readDb(request.body);
      const { body, raw, sequences } = request;
      checkCommandFields(name, command, [...Object.entries(body), ...sequences]);
      const deadline = checkGenericFields(body, command.isWrite === true);
      checkCommandLevels(body, raw);
      checkReadable(body, raw);
      const result = command.run({ engine, connection, name, db, body, sequences, deadline });
      if (result instanceof Promise) {
        return result
          .then(shape)
          .catch(shapeError)
          .finally(() => engine.environment.pauseScans());
      }
      return shape(result);
    } catch (error) {
      return shapeError(error);
    } finally {
      engine.environment.pauseScans();
    }
  };
}

function findCommand(name: string, request: Request): Command {
  const command = COMMANDS.get(name);
  if (!command) throw new MongoError(59, 'CommandNotFound', `no such command: '${name}'`);
  if (request.isQuery && !HELLO_NAMES.has(name)) {
    throw new MongoError(352, 'UnsupportedOpQueryCommand', `Unsupported OP_QUERY command: ${name}`);
  }
  return command;
}

const HELLO_NAMES = new Set(['hello', 'isMaster', 'ismaster']);

function readDb(body: Doc): string {
  const db = body.$db;
  if (typeof db !== 'string')
    throw new MongoError(40571, 'Location40571', 'OP_MSG requests require a $db argument');
  if (db === '' || db.length > 63 || /[/\\. "$\0]/.test(db)) {
    throw new MongoError(73, 'InvalidNamespace', `Invalid database name: '${db}'`);
  }
  return db;
}

function shape(result: CommandResult): Uint8Array {
  return result instanceof Uint8Array ? result : encode({ ...result, ok: 1 });
}

/** Never fails: what an error tells of a request is cut off where that is long. */
function shapeError(error: unknown): Uint8Array {
  const text = error instanceof Error ? error.message : String(error);
  const errmsg = text.slice(0, MAX_ERROR_CHARACTERS);
  if (!(error instanceof MongoError)) return encode({ ok: 0, errmsg, code: 1, codeName: 'InternalError' });
  return encode({ ok: 0, errmsg, code: error.code, codeName: error.codeName, ...error.extra });
}

const MAX_ERROR_CHARACTERS = 16 * 1024;
