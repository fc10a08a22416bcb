import { animated, broken, type Cleaned, followed, partCounter } from './image-error.ts';

/** WebP (RFC 9649): RIFF, the size of what follows, `WEBP`, and chunks of a type, a size and data. */
const HEADER_BYTES = 12;

/** The flags of VP8X: whether there is an animation, and transparency. */
const ANIMATION = 0x02;
const ALPHA = 0x10;

type Size = Pick<Cleaned, 'width' | 'height'>;

export const isWebp = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';

/** The chunks by their types, each of which may come once. */
const chunksOf = (bytes: Buffer): Map<string, Buffer> => {
  if (bytes.length < HEADER_BYTES) throw broken();
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) throw broken();
  if (end < bytes.length) throw followed();
  const count = partCounter();
  const chunks = new Map<string, Buffer>();
  for (let at = HEADER_BYTES; at < end; ) {
    count();
    if (at + 8 > end) throw broken();
    const type = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    // Of an odd length, a byte fills the place before the next one.
    const next = at + 8 + length + (length % 2);
    if (next > end) throw broken();
    if (type === 'ANIM' || type === 'ANMF') throw animated();
    if (chunks.has(type)) throw broken();
    chunks.set(type, bytes.subarray(at + 8, at + 8 + length));
    at = next;
  }
  return chunks;
};

/** VP8 (RFC 6386, 9.1): a key frame, and its size; the bits above are how it is to be scaled. */
const lossySize = (data: Buffer): Size => {
  if (data.length < 10 || ((data[0] ?? 1) & 1) !== 0 || data.readUIntBE(3, 3) !== 0x9d012a) throw broken();
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
};

/** VP8L (RFC 9649, 3.4): a signature, twice 14 bits of size less one, a bit for transparency, and the version 0. */
const losslessSize = (data: Buffer): Size => {
  if (data.length < 5 || data[0] !== 0x2f) throw broken();
  const bits = data.readUInt32LE(1);
  if (bits >>> 29 !== 0) throw broken();
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
};

const chunk = (type: string, data: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
};

const fileOf = (chunks: Buffer[]): Buffer => {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  return chunk('RIFF', body);
};

/** What a picture with a transparency of its own begins with. */
const extended = ({ width, height }: Size): Buffer => {
  const data = Buffer.alloc(10);
  data[0] = ALPHA;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return chunk('VP8X', data);
};

/** Puts a file together of the pixels alone. @throws ImageError */
export const cleanWebp = (bytes: Buffer): Cleaned => {
  const chunks = chunksOf(bytes);
  const [lossy, lossless, alpha, head] = ['VP8 ', 'VP8L', 'ALPH', 'VP8X'].map((type) => chunks.get(type));
  if (head && (head.length !== 10 || ((head[0] ?? 0) & ANIMATION) !== 0)) throw animated();
  if ((lossy === undefined) === (lossless === undefined)) throw broken();
  const size = lossy ? lossySize(lossy) : losslessSize(lossless as Buffer);
  const isOther =
    head && (head.readUIntLE(4, 3) + 1 !== size.width || head.readUIntLE(7, 3) + 1 !== size.height);
  if (isOther) throw broken();
  if (!lossy) return { bytes: fileOf([chunk('VP8L', lossless as Buffer)]), ...size };
  const pixels = chunk('VP8 ', lossy);
  if (!head || !alpha || size.width === 0 || size.height === 0) return { bytes: fileOf([pixels]), ...size };
  return { bytes: fileOf([extended(size), chunk('ALPH', alpha), pixels]), ...size };
};
