/**
 * Reading and writing messages.
 * https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
 */
import { type Doc, decodeCommand, MAX_ENCODED_BYTES } from '../bson/document.ts';
import { WireError } from './frames.ts';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

const MORE_TO_COME = 1 << 1;
/** The lower 16 bits must be understood, or the message refused. No driver sends the first: a checksum. */
const REQUIRED_BITS = 0xffff;

export interface Request {
  requestId: number;
  isQuery: boolean;
  /** Whether the client does not want an answer. */
  moreToCome: boolean;
  body: Doc;
  /** The body as it came. */
  raw: Buffer;
  /** The document sequences of the message, and the raw arrays of its body, by field name. */
  sequences: Map<string, Buffer[]>;
}

/** Fields of commands whose documents are kept as the bytes they came in. */
const RAW_FIELDS = { documents: true };

/** Reads a message. Fails with WireError when it is malformed. */
export function readRequest(message: Buffer): Request {
  const requestId = message.readInt32LE(4);
  const operation = message.readInt32LE(12);
  try {
    if (operation === OP_MSG) return readMsg(message, requestId);
    if (operation === OP_QUERY) return readQuery(message, requestId);
  } catch (error) {
    if (error instanceof WireError) throw error;
    throw new WireError(error instanceof Error ? error.message : String(error));
  }
  throw new WireError(`operation ${operation}`);
}

function readMsg(message: Buffer, requestId: number): Request {
  const flags = message.readUInt32LE(16);
  if (flags & REQUIRED_BITS & ~MORE_TO_COME) throw new WireError(`flags ${flags}`);
  const end = message.length;
  let body: Doc | undefined;
  let raw: Buffer = EMPTY;
  const sequences = new Map<string, Buffer[]>();
  let at = 20;
  while (at < end) {
    const kind = message[at++];
    const size = sizeAt(message, at, end);
    if (kind === 0) {
      if (body) throw new WireError('two bodies');
      if (size > MAX_ENCODED_BYTES) throw new WireError(`body of ${size} bytes`);
      raw = message.subarray(at, at + size);
      body = decodeCommand(raw, RAW_FIELDS);
    } else if (kind === 1) {
      readSequence(message.subarray(at + 4, at + size), sequences);
    } else {
      throw new WireError(`section kind ${kind}`);
    }
    at += size;
  }
  if (!body) throw new WireError('no body');
  return { requestId, isQuery: false, moreToCome: (flags & MORE_TO_COME) !== 0, body, raw, sequences };
}

function readSequence(section: Buffer, sequences: Map<string, Buffer[]>): void {
  const nameEnd = section.indexOf(0);
  if (nameEnd < 0) throw new WireError('sequence without a name');
  const name = section.toString('utf8', 0, nameEnd);
  if (sequences.has(name)) throw new WireError(`two sequences ${name}`);
  const documents: Buffer[] = [];
  for (let at = nameEnd + 1; at < section.length; ) {
    const size = sizeAt(section, at, section.length);
    documents.push(section.subarray(at, at + size));
    at += size;
  }
  sequences.set(name, documents);
}

function sizeAt(bytes: Buffer, at: number, end: number): number {
  const size = at + 4 <= end ? bytes.readInt32LE(at) : 0;
  if (size < 5 || at + size > end) throw new WireError(`section of ${size} bytes`);
  return size;
}

/** Drivers ask hello once in the old form, before they know that OP_MSG is spoken. */
function readQuery(message: Buffer, requestId: number): Request {
  const nameEnd = message.indexOf(0, 20);
  if (nameEnd < 0) throw new WireError('query without a name');
  const collection = message.toString('utf8', 20, nameEnd);
  if (!collection.endsWith('.$cmd')) throw new WireError('OP_QUERY on a collection');
  const at = nameEnd + 9;
  const size = sizeAt(message, at, message.length);
  const raw = message.subarray(at, at + size);
  const body = decodeCommand(raw, {});
  body.$db ??= collection.slice(0, -'.$cmd'.length);
  return { requestId, isQuery: true, moreToCome: false, body, raw, sequences: new Map() };
}

const EMPTY = Buffer.alloc(0);

let lastRequestId = 0;

/** The message that answers a request with one document. */
export function writeReply(request: Request, body: Uint8Array): Buffer[] {
  const header = Buffer.alloc(request.isQuery ? 36 : 21);
  header.writeInt32LE(header.length + body.length, 0);
  lastRequestId = (lastRequestId + 1) & 0x7fffffff;
  header.writeInt32LE(lastRequestId, 4);
  header.writeInt32LE(request.requestId, 8);
  header.writeInt32LE(request.isQuery ? OP_REPLY : OP_MSG, 12);
  // OP_MSG: flags 0, section kind 0. OP_REPLY: flag AwaitCapable, no cursor, from 0, one document.
  if (request.isQuery) {
    header.writeInt32LE(8, 16);
    header.writeInt32LE(1, 32);
  }
  return [header, Buffer.from(body.buffer, body.byteOffset, body.byteLength)];
}
