import { crc32 } from 'node:zlib';
import { animated, broken, type Cleaned, followed, partCounter } from './image-error.ts';

/** PNG (https://www.w3.org/TR/png-3/): a signature, and then chunks of a length, a type, data and a checksum. */
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const HEADER_BYTES = 13;

/** What pixels and colours are made of; texts, times and EXIF are not, nor is whatever else may stand in a chunk. */
const KEPT = new Set(['IHDR', 'PLTE', 'tRNS', 'sRGB', 'gAMA', 'IDAT', 'IEND']);

/** Chunks of an animation. */
const MOVING = new Set(['acTL', 'fcTL', 'fdAT']);

/** Bit depths by colour type. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);

/** A chunk that a reader has to know has a capital first. */
const isCritical = (type: string): boolean => /^[A-Z]/.test(type);

const isHeader = (data: Buffer): boolean => {
  if (data.length !== HEADER_BYTES) return false;
  const [depth = 0, colour = 0, compression, filter, interlace = 0] = data.subarray(8);
  const isUsual = compression === 0 && filter === 0 && interlace <= 1;
  return isUsual && DEPTHS[colour]?.includes(depth) === true;
};

/** Walks through all chunks, and keeps those of KEPT. @throws ImageError */
export const cleanPng = (bytes: Buffer): Cleaned => {
  const kept: Buffer[] = [SIGNATURE];
  const seen = new Set<string>();
  const count = partCounter();
  let last = '';
  for (let at = SIGNATURE.length; last !== 'IEND'; ) {
    count();
    if (at + 12 > bytes.length) throw broken();
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length) throw broken();
    const type = bytes.toString('latin1', at + 4, at + 8);
    const data = bytes.subarray(at + 8, end - 4);
    if (crc32(bytes.subarray(at + 4, end - 4) as Buffer<ArrayBuffer>) !== bytes.readUInt32BE(end - 4))
      throw broken();
    if ((type === 'IHDR') !== (last === '') || (type === 'IHDR' && !isHeader(data))) throw broken();
    if (MOVING.has(type)) throw animated();
    if (KEPT.has(type)) {
      // Only those with the pixels come more than once, one after another.
      if (seen.has(type) && !(type === 'IDAT' && last === 'IDAT')) throw broken();
      kept.push(bytes.subarray(at, end));
    } else if (isCritical(type)) throw broken();
    seen.add(type);
    last = type;
    at = end;
    if (type === 'IEND' && (length > 0 || !seen.has('IDAT'))) throw broken();
    if (type === 'IEND' && at < bytes.length) throw followed();
  }
  const [, header = bytes] = kept;
  return { bytes: Buffer.concat(kept), width: header.readUInt32BE(8), height: header.readUInt32BE(12) };
};
