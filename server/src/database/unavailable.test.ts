import { mongo } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { databaseUnavailable } from './unavailable.ts';

describe('an error of the database', () => {
  it.each([
    ['InterruptedAtShutdown', 11_600],
    ['ShutdownInProgress', 91],
    ['InterruptedDueToReplStateChange', 11_602],
    ['NotWritablePrimary', 10_107],
    ['NotPrimaryNoSecondaryOk', 13_435],
    ['NotPrimaryOrSecondary', 13_436],
    ['PrimarySteppedDown', 189],
    ['HostUnreachable, of a mongos', 6],
    ['MaxTimeMSExpired', 50],
  ])('%s is for now', (errmsg, code) => {
    const errors = [
      new mongo.MongoServerError({ errmsg, code }),
      // Written here, and not by a majority.
      new mongo.MongoWriteConcernError({ ok: 1, writeConcernError: { code, errmsg } }),
    ];
    for (const error of errors) expect(databaseUnavailable(error)?.headers['Retry-After']).toBe('1');
  });

  it.each(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])('of a socket, %s, is for now', (code) => {
    const error = Object.assign(new Error(`write ${code}`), { code, syscall: 'write' });
    expect(databaseUnavailable(error)?.code).toBe('unavailable');
  });

  it.each<[string, unknown]>([
    ['a duplicate', new mongo.MongoServerError({ errmsg: 'E11000', code: 11_000 })],
    ['a query that is wrong', new mongo.MongoServerError({ errmsg: 'unknown operator', code: 2 })],
    ['a defect', new TypeError('x is undefined')],
    ['nothing', undefined],
  ])('%s is no such', (_, error) => expect(databaseUnavailable(error)).toBeUndefined());
});
