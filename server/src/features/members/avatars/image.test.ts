import { describe, expect, it } from 'vitest';
import {
  ANIMATED_WEBP,
  EXIF_TEXTS,
  JPEG,
  LOSSLESS_WEBP,
  PNG_SIGNATURE,
  png,
  pngChunk,
  pngHeader,
  WEBP,
} from '../../../../test/pictures.ts';
import { cleanImage, imageType } from './image.ts';

/** Why it is refused. */
const refusal = (bytes: Buffer): unknown => {
  try {
    cleanImage(bytes);
    return undefined;
  } catch (error) {
    return (error as { fields?: { avatar: string[] } }).fields?.avatar[0] ?? error;
  }
};

const BROKEN = 'The picture is broken or not whole.';
const ANIMATED = 'The picture is animated: send a still one.';
const FOLLOWED = 'Something follows the end of the picture.';
const NONE = 'Send a picture: PNG, JPEG or WebP.';
const SIZE = 'Ensure the picture has 1 to 1024 pixels in width and height.';

const PIXELS = [pngChunk('IDAT', 'x'), pngChunk('IEND')];
const pngOf = (...chunks: Buffer[]): Buffer => Buffer.concat([PNG_SIGNATURE, ...chunks]);
const EXIF_PNG = png(8, 8, {
  more: [
    pngChunk('eXIf', EXIF_TEXTS.join()),
    pngChunk('tEXt', EXIF_TEXTS.join()),
    pngChunk('prVt', 'secret place'),
  ],
});

/** A picture in which some bytes stand for others. */
const changed = (bytes: Buffer, at: number, ...values: number[]): Buffer => {
  const copy = Buffer.from(bytes);
  copy.set(values, at);
  return copy;
};

/** A segment behind the first two bytes of a JPEG. */
const withSegment = (marker: number, data: string): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([JPEG.subarray(0, 2), head, Buffer.from(data, 'latin1'), JPEG.subarray(2)]);
};

const FRAME = JPEG.indexOf(Buffer.from([0xff, 0xc0]));

describe('a picture that is taken', () => {
  const SAMPLES = { 'image/png': EXIF_PNG, 'image/jpeg': JPEG, 'image/webp': WEBP, lossless: LOSSLESS_WEBP };

  it.each(Object.entries(SAMPLES))('%s is kept without what a camera wrote into it', (type, bytes) => {
    for (const text of EXIF_TEXTS) expect(bytes.includes(text)).toBe(true);
    const kept = cleanImage(bytes);
    expect(imageType(kept)).toBe(type === 'lossless' ? 'image/webp' : type);
    for (const text of [...EXIF_TEXTS, 'Exif', 'EXIF', 'eXIf', 'tEXt', 'prVt'])
      expect(kept.includes(text)).toBe(false);
    expect(kept.length).toBeLessThan(bytes.length);
    // Nothing more to leave out: it is a whole picture.
    expect(cleanImage(kept)).toEqual(kept);
  });

  it('loses what stands between its scans, its comments and profiles, and keeps how its colours are meant', () => {
    const adobe = `Adobe\0d${'\0'.repeat(4)}\x01`;
    for (const [marker, text, isKept] of [
      [0xfe, 'secret place', false],
      [0xe2, 'ICC_PROFILE secret place', false],
      [0xee, 'Adobe secret place', false],
      [0xee, adobe, true],
    ] as const) {
      const kept = cleanImage(withSegment(marker, text));
      expect([text, kept.includes(text)]).toEqual([text, isKept]);
    }
    expect(cleanImage(png(3, 2, { more: [pngChunk('sRGB', '\0')] })).includes('sRGB')).toBe(true);
  });

  it('has 1 to 1 024 pixels on each side, whatever the other one', () => {
    for (const [width, height] of [
      [1, 1],
      [1_024, 1],
      [1, 1_024],
      [1_024, 1_024],
    ] as const) {
      expect(refusal(png(width, height))).toBeUndefined();
    }
    for (const [width, height] of [
      [1_025, 1],
      [1, 1_025],
      [0, 1],
      [1, 0],
      [2 ** 31, 1],
    ] as const) {
      expect(refusal(pngOf(pngHeader(width, height), ...PIXELS))).toBe(SIZE);
    }
    expect(refusal(changed(JPEG, FRAME + 5, 0x10, 0))).toBe(SIZE);
    expect(refusal(changed(JPEG, FRAME + 7, 0x04, 0x01))).toBe(SIZE);
    const tall = changed(WEBP, WEBP.indexOf('VP8X') + 15, 0xff, 0x3f, 0);
    const pixels = tall.indexOf(Buffer.from([0x9d, 0x01, 0x2a]));
    expect(refusal(changed(tall, pixels + 5, 0x00, 0x40))).toBe(BROKEN);
    const lossy = Buffer.from(cleanImage(WEBP).subarray(cleanImage(WEBP).indexOf('VP8 ')));
    const plain = Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP'), lossy]);
    plain.writeUInt32LE(plain.length - 8, 4);
    expect(refusal(plain)).toBeUndefined();
    expect(refusal(changed(plain, plain.indexOf(Buffer.from([0x9d, 0x01, 0x2a])) + 5, 0x01, 0x04))).toBe(
      SIZE,
    );
  });
});

describe('a picture that is refused', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a GIF', Buffer.from('GIF89a\x01\0\x01\0')],
    ['a PDF', Buffer.from('%PDF-1.7')],
    ['an AVIF', Buffer.from('\0\0\0\x1cftypavif', 'latin1')],
  ])('%s', (_, bytes) => expect(refusal(bytes)).toBe(NONE));

  it.each([
    ['JPEG', JPEG],
    ['PNG', png()],
    ['WebP', WEBP],
    ['lossless WebP', LOSSLESS_WEBP],
  ])('%s that is cut off anywhere, or has something behind its end', (_, bytes) => {
    for (let length = 0; length < bytes.length; length++) {
      expect([length, refusal(bytes.subarray(0, length))]).toEqual([length, expect.any(String)]);
    }
    expect(refusal(Buffer.concat([bytes, Buffer.from('PK\x03\x04')]))).toBe(FOLLOWED);
  });

  it('one of more than 512 parts, each of which would be work', () => {
    const parts = 'The picture has more than 512 parts.';
    const texts = (count: number) => Array.from({ length: count }, () => pngChunk('tEXt', 'x'));
    expect(refusal(png(8, 8, { more: texts(509) }))).toBeUndefined();
    expect(refusal(png(8, 8, { more: texts(510) }))).toBe(parts);

    const comment = Buffer.from([0xff, 0xfe, 0, 2]);
    const jpeg = Buffer.concat([JPEG.subarray(0, 2), ...Array(510).fill(comment), JPEG.subarray(2)]);
    expect(refusal(jpeg)).toBe(parts);
    const named = Array.from({ length: 512 }, (_, n) => Buffer.from(`${String(n).padStart(4, 'x')}\0\0\0\0`));
    const webp = Buffer.concat([LOSSLESS_WEBP, ...named]);
    webp.writeUInt32LE(webp.length - 8, 4);
    expect(refusal(webp)).toBe(parts);
  });

  it('an animation', () => {
    expect(refusal(ANIMATED_WEBP)).toBe(ANIMATED);
    expect(refusal(png(8, 8, { more: [pngChunk('acTL', '\0'.repeat(8))] }))).toBe(ANIMATED);
    const flag = WEBP.indexOf('VP8X') + 8;
    expect(refusal(changed(WEBP, flag, (WEBP[flag] ?? 0) | 2))).toBe(ANIMATED);
  });

  it.each([
    ['a checksum that is wrong', changed(png(), 20, 9)],
    ['no header', pngOf(...PIXELS)],
    ['two headers', pngOf(pngHeader(1, 1), pngHeader(2, 2), ...PIXELS)],
    ['no pixels', pngOf(pngHeader(1, 1), pngChunk('IEND'))],
    ['pixels in two places', pngOf(pngHeader(1, 1), pngChunk('IDAT'), pngChunk('tIME'), ...PIXELS)],
    ['a depth that its colours have not', pngOf(pngHeader(1, 1, [16, 3, 0]), ...PIXELS)],
    ['a chunk that it is not understood without', png(1, 1, { more: [pngChunk('ABCD')] })],
    ['an end that is none', pngOf(pngHeader(1, 1), pngChunk('IDAT'), pngChunk('IEND', 'x'))],
  ])('a PNG with %s', (_, bytes) => expect(refusal(bytes)).toBe(BROKEN));

  it.each([
    ['a frame of arithmetic codes', changed(JPEG, FRAME + 1, 0xc9)],
    ['twelve bits', changed(JPEG, FRAME + 4, 12)],
    ['two components', changed(JPEG, FRAME + 9, 2)],
    [
      'two frames',
      Buffer.concat([JPEG.subarray(0, FRAME), JPEG.subarray(FRAME, FRAME + 19), JPEG.subarray(FRAME)]),
    ],
    ['no frame', Buffer.concat([JPEG.subarray(0, FRAME), JPEG.subarray(FRAME + 19)])],
    ['a segment of no length', changed(JPEG, 4, 0, 1)],
    [
      'no scan',
      Buffer.concat([JPEG.subarray(0, JPEG.indexOf(Buffer.from([0xff, 0xda]))), Buffer.from([0xff, 0xd9])]),
    ],
    ['a marker that stands nowhere', changed(JPEG, 3, 0x01)],
  ])('a JPEG with %s', (_, bytes) => expect(refusal(bytes)).toBe(BROKEN));

  it.each([
    ['an unusual version', changed(LOSSLESS_WEBP, LOSSLESS_WEBP.indexOf('VP8L') + 12, 0xff)],
    ['a wrong signature', changed(LOSSLESS_WEBP, LOSSLESS_WEBP.indexOf('VP8L') + 8, 0x30)],
    ['a size of its pixels that is another', changed(WEBP, WEBP.indexOf('VP8X') + 12, 1)],
    ['a frame that is no key', changed(WEBP, WEBP.indexOf('VP8 ') + 8, 0x01)],
    ['no pixels', changed(WEBP, WEBP.indexOf('VP8 '), 0x58)],
    ['a chunk that ends behind it', changed(WEBP, WEBP.indexOf('EXIF') + 4, 0xff, 0xff)],
  ])('a WebP with %s', (_, bytes) => expect(refusal(bytes)).toBe(BROKEN));
});
