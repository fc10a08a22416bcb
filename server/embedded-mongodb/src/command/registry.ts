/** All commands by their names. */
import { aggregate } from './aggregate.ts';
import {
  create,
  drop,
  dropDatabase,
  listCollections,
  listDatabases,
  renameCollection,
} from './collections.ts';
import type { Command } from './command.ts';
import { count } from './count.ts';
import { deleteCommand } from './delete.ts';
import { distinct } from './distinct.ts';
import { explain } from './explain.ts';
import { find, getMore, killCursors } from './find.ts';
import { findAndModify } from './find-and-modify.ts';
import { buildInfo, connectionStatus, endSessions, hello, hostInfo, ping } from './handshake.ts';
import { createIndexes, dropIndexes, listIndexes } from './indexes.ts';
import { insert } from './insert.ts';
import { collStats, dbStats, validate } from './stats.ts';
import { update } from './update.ts';

export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['hello', hello],
  ['isMaster', hello],
  ['ismaster', hello],
  ['ping', ping],
  ['buildInfo', buildInfo],
  ['buildinfo', buildInfo],
  ['connectionStatus', connectionStatus],
  ['endSessions', endSessions],
  ['hostInfo', hostInfo],
  ['listDatabases', listDatabases],
  ['listCollections', listCollections],
  ['create', create],
  ['drop', drop],
  ['dropDatabase', dropDatabase],
  ['renameCollection', renameCollection],
  ['listIndexes', listIndexes],
  ['createIndexes', createIndexes],
  ['dropIndexes', dropIndexes],
  ['insert', insert],
  ['find', find],
  ['getMore', getMore],
  ['killCursors', killCursors],
  ['update', update],
  ['delete', deleteCommand],
  ['findAndModify', findAndModify],
  ['count', count],
  ['distinct', distinct],
  ['aggregate', aggregate],
  ['explain', explain],
  ['dbStats', dbStats],
  ['dbstats', dbStats],
  ['collStats', collStats],
  ['collstats', collStats],
  ['validate', validate],
]);
