import { broken, type Cleaned, followed, partCounter } from './image-error.ts';

/** JPEG (ITU-T T.81): a marker, segments with a length each, and behind each SOS the bytes of a scan. */
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const APP14 = 0xee;

/** What browsers decode: baseline, extended and progressive, by Huffman codes. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2]);

/** Tables, frames and scans: DHT, DQT, DRI. Everything else, such as EXIF, texts and profiles, is left out. */
const KEPT = new Set([0xc4, 0xdb, 0xdd, SOS, ...FRAMES]);

/** Segments that no picture is understood without: other frames, arithmetic codes, hierarchies, a height that comes later. */
const isUnknown = (marker: number): boolean =>
  !KEPT.has(marker) && ((marker >= 0xc0 && marker <= 0xcf) || (marker >= 0xdc && marker <= 0xdf));

/** Comments and the segments of applications; the others have no length, and stand nowhere by themselves. */
const isSkipped = (marker: number): boolean => marker === 0xfe || (marker >= 0xe0 && marker <= 0xef);

/** Says which colours the components are, and is nothing else: 12 bytes. */
const isAdobe = (marker: number, data: Buffer): boolean =>
  marker === APP14 && data.length === 12 && data.toString('latin1', 0, 5) === 'Adobe';

export const isJpeg = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === SOI && bytes[2] === 0xff;

/** Where the next marker begins that is neither a stuffed byte nor a restart. */
const endOfScan = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) break;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw broken();
};

/** The size that a frame says; eight bits for each of one, three or four components. */
const sizeOf = (frame: Buffer): Omit<Cleaned, 'bytes'> => {
  const components = frame[5] ?? 0;
  if (frame[0] !== 8 || ![1, 3, 4].includes(components) || frame.length !== 6 + 3 * components) {
    throw broken();
  }
  return { height: frame.readUInt16BE(1), width: frame.readUInt16BE(3) };
};

/** Walks through all segments and scans, and keeps those of KEPT. @throws ImageError */
export const cleanJpeg = (bytes: Buffer): Cleaned => {
  const kept = [bytes.subarray(0, 2)];
  let size: Omit<Cleaned, 'bytes'> | undefined;
  const count = partCounter();
  let scans = 0;
  for (let at = 2; ; ) {
    count();
    if (bytes[at] !== 0xff) throw broken();
    // Any number of these may fill the place before a marker.
    while (bytes[at + 1] === 0xff) at++;
    const marker = bytes[at + 1] ?? 0;
    if (marker === EOI) {
      if (!size || scans === 0) throw broken();
      if (at + 2 < bytes.length) throw followed();
      kept.push(bytes.subarray(at));
      return { bytes: Buffer.concat(kept), ...size };
    }
    if (at + 4 > bytes.length || isUnknown(marker) || !(KEPT.has(marker) || isSkipped(marker))) {
      throw broken();
    }
    const length = bytes.readUInt16BE(at + 2);
    let end = at + 2 + length;
    if (length < 2 || end > bytes.length) throw broken();
    const data = bytes.subarray(at + 4, end);
    if (FRAMES.has(marker)) {
      if (size) throw broken();
      size = sizeOf(data);
    }
    if (marker === SOS) {
      if (!size) throw broken();
      scans++;
      end = endOfScan(bytes, end);
    }
    if (KEPT.has(marker) || isAdobe(marker, data)) kept.push(bytes.subarray(at, end));
    at = end;
  }
};
