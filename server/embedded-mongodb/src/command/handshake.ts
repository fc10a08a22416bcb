/** What drivers ask first: who is there, and what it can do. */
import { arch, availableParallelism, cpus, hostname, platform, release, totalmem, type } from 'node:os';
import { Int32 } from 'bson';
import type { Doc } from '../bson/document.ts';
import { MAX_BSON_OBJECT_BYTES, MAX_MESSAGE_BYTES, MAX_WRITE_BATCH } from '../limits/limits.ts';
import type { Command, CommandCall } from './command.ts';
import { anyValue } from './field-types.ts';

/** MongoDB 7.0's wire version: what its drivers of today ask for at least, and no promise of newer commands. */
const WIRE_VERSION = 21;

/** The MongoDB version whose answers are given. */
export const VERSION = '7.0.0';

/** Without it drivers begin no sessions, and Compass reads every page of documents in one. */
const SESSION_TIMEOUT_MINUTES = 30;

export const hello: Command = {
  fields: {
    helloOk: anyValue,
    client: anyValue,
    compression: anyValue,
    saslSupportedMechs: anyValue,
    speculativeAuthenticate: anyValue,
    loadBalanced: anyValue,
    hostInfo: anyValue,
    backpressure: anyValue,
  },
  refused: { topologyVersion: anyValue, maxAwaitTimeMS: anyValue },
  run: ({ name, connection }: CommandCall): Doc => ({
    helloOk: true,
    ...(name === 'hello' ? { isWritablePrimary: true } : { ismaster: true }),
    maxBsonObjectSize: MAX_BSON_OBJECT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: MAX_WRITE_BATCH,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: SESSION_TIMEOUT_MINUTES,
    connectionId: new Int32(connection.id),
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION,
    readOnly: false,
  }),
};

export const ping: Command = { fields: {}, run: () => ({}) };

export const buildInfo: Command = {
  fields: {},
  run: () => ({
    version: VERSION,
    gitVersion: 'parlor-embedded-mongodb',
    modules: [],
    allocator: 'lmdb',
    javascriptEngine: 'none',
    sysInfo: 'deprecated',
    versionArray: VERSION.split('.').map(Number).concat(0),
    openssl: {},
    buildEnvironment: { target_arch: arch(), target_os: platform() },
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_BSON_OBJECT_BYTES,
    storageEngines: ['lmdb'],
  }),
};

export const connectionStatus: Command = {
  fields: { showPrivileges: anyValue },
  run: ({ body }) => ({
    authInfo: {
      authenticatedUsers: [],
      authenticatedUserRoles: [],
      ...(body.showPrivileges ? { authenticatedUserPrivileges: [] } : {}),
    },
  }),
};

/** The machine that the database runs on: Compass asks for it before it shows anything. */
export const hostInfo: Command = {
  fields: {},
  run: () => ({
    system: {
      currentTime: new Date(),
      hostname: hostname(),
      cpuAddrSize: 64,
      memSizeMB: Math.floor(totalmem() / 2 ** 20),
      numCores: cpus().length,
      numCoresAvailableToProcess: availableParallelism(),
      cpuArch: arch() === 'x64' ? 'x86_64' : arch(),
    },
    os: { type: type(), name: platform(), version: release() },
    extra: {},
  }),
};

/** A session means nothing to a server without transactions; it may be ended all the same. */
export const endSessions: Command = { fields: {}, run: () => ({}) };
