/** What drivers ask first: who is there, and what it can do. */
import { arch, platform } from 'node:os';
import { Int32 } from 'bson';
import type { Doc } from '../bson/document.ts';
import { MAX_BSON_OBJECT_BYTES, MAX_MESSAGE_BYTES, MAX_WRITE_BATCH } from '../limits/limits.ts';
import type { Command, CommandCall } from './command.ts';

/** MongoDB 7.0's wire version: what its drivers of today ask for at least, and no promise of newer commands. */
const WIRE_VERSION = 21;

/** The MongoDB version whose answers are given. */
export const VERSION = '7.0.0';

export const hello: Command = {
  fields: [
    'helloOk',
    'client',
    'compression',
    'saslSupportedMechs',
    'speculativeAuthenticate',
    'loadBalanced',
    'hostInfo',
    'backpressure',
  ],
  refused: ['topologyVersion', 'maxAwaitTimeMS'],
  run: ({ name, connection }: CommandCall): Doc => ({
    helloOk: true,
    ...(name === 'hello' ? { isWritablePrimary: true } : { ismaster: true }),
    maxBsonObjectSize: MAX_BSON_OBJECT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: MAX_WRITE_BATCH,
    localTime: new Date(),
    connectionId: new Int32(connection.id),
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION,
    readOnly: false,
  }),
};

export const ping: Command = { fields: [], run: () => ({}) };

export const buildInfo: Command = {
  fields: [],
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
  fields: ['showPrivileges'],
  run: ({ body }) => ({
    authInfo: {
      authenticatedUsers: [],
      authenticatedUserRoles: [],
      ...(body.showPrivileges ? { authenticatedUserPrivileges: [] } : {}),
    },
  }),
};

/** There are no sessions; drivers may end the ones that they never started. */
export const endSessions: Command = { fields: [], run: () => ({}) };
