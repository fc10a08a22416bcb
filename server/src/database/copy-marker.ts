import type { Connection, mongo } from 'mongoose';

/** Stands in the target while a copy is under way, so that nobody takes a part of a database for a whole one. */
export const COPY_MARKER = 'copy_under_way';

type Connected = Pick<Connection, 'db'>;

/** Whether a copy into this database was begun and not finished. */
export const isHalfCopied = async ({ db }: Connected): Promise<boolean> =>
  (await (db as mongo.Db).listCollections({ name: COPY_MARKER }, { nameOnly: true }).toArray()).length > 0;
