import { crc32, deflateSync } from 'node:zlib';

/** A chunk of a PNG, with its checksum. */
export const pngChunk = (type: string, data: Buffer | string = ''): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), Buffer.from(data as string, 'latin1')]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(named.length - 4);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
};

export const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** The header of a PNG: eight bits each of red, green and blue. */
export const pngHeader = (width: number, height: number, [depth, colour, interlace] = [8, 2, 0]): Buffer => {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width);
  data.writeUInt32BE(height, 4);
  data.set([depth as number, colour as number, 0, 0, interlace as number], 8);
  return pngChunk('IHDR', data);
};

/** A picture of one colour. @param more chunks between its header and its pixels */
export const png = (
  width = 8,
  height = width,
  { colour = [15, 118, 110], more = [] }: { colour?: readonly number[]; more?: readonly Buffer[] } = {},
): Buffer => {
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: width }, () => Buffer.from(colour))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return Buffer.concat([
    PNG_SIGNATURE,
    pngHeader(width, height),
    ...more,
    pngChunk('IDAT', pixels),
    pngChunk('IEND'),
  ]);
};

/** What stands in the EXIF of the pictures below. */
export const EXIF_TEXTS = ['PhoneMaker', 'secret place'];

/** 24 by 16 pixels, as a phone saves them: with its maker, a text and a latitude in EXIF. */
export const JPEG = Buffer.from(
  '/9j/4QEkRXhpZgAASUkqAAgAAAAJAA8BAgALAAAAmAAAABIBAwABAAAAAQAAABoBBQABAAAAegAAABsBBQABAAAAggAAACgBAwAB' +
    'AAAAAgAAABMCAwABAAAAAQAAAJiCAgANAAAAigAAAGmHBAABAAAApAAAACWIBAABAAAA8gAAAAAAAAA4YwAA6AMAADhjAADoAwAA' +
    'c2VjcmV0IHBsYWNlAABQaG9uZU1ha2VyAAAGAACQBwAEAAAAMDIxMAGRBwAEAAAAAQIDAACgBwAEAAAAMDEwMAGgAwABAAAA//8A' +
    'AAKgBAABAAAAGAAAAAOgBAABAAAAEAAAAAAAAAABAAIABQADAAAABAEAAAAAAAAzAAAAAQAAAB4AAAABAAAAngwAAGQAAAD/2wBD' +
    'AAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBDAQcHBwoI' +
    'ChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wAARCAAQABgDASIAAhEB' +
    'AxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABgAH/8QAGRAAAQUAAAAAAAAAAAAAAAAAAAQGIjGh/8QAFQEBAQAAAAAAAAAAAAAAAAAA' +
    'BQf/xAAeEQABAwQDAAAAAAAAAAAAAAAABAUGAQMhMSIjYf/aAAwDAQACEQMRAD8Ax9C36hggRN+oYPkLfqGCBC36hggpevQhlkOs' +
    'gBC36hhGvoW/UMIFuPXLZT0ch66ZP//Z',
  'base64',
);

/** Lossy with a transparency, and EXIF. */
export const WEBP = Buffer.from(
  'UklGRswBAABXRUJQVlA4WAoAAAAYAAAAFwAADwAAQUxQSBgAAAABuYzof4BI20bF2MRP7uFhxARMALXOzQBWUDggZAAAABAEAJ0B' +
    'KhgAEAA+bRyZSaQhIyGYAIANiWwAnTKEcDeSgGEl2MdaAQSgAP78a1ClUtqkG4JcM47ez//HONHMNSCW39PfjVoAwvxzclFLMt+7' +
    'cr3Yy56K5uopiC/wSdSTL+IAAABFWElGIgEAAEV4aWYAAElJKgAIAAAACQAPAQIACwAAAJgAAAASAQMAAQAAAAEAAAAaAQUAAQAA' +
    'AHoAAAAbAQUAAQAAAIIAAAAoAQMAAQAAAAIAAAATAgMAAQAAAAEAAACYggIADQAAAIoAAABphwQAAQAAAKQAAAAliAQAAQAAAPIA' +
    'AAAAAAAAOGMAAOgDAAA4YwAA6AMAAHNlY3JldCBwbGFjZQAAUGhvbmVNYWtlcgAABgAAkAcABAAAADAyMTABkQcABAAAAAECAwAA' +
    'oAcABAAAADAxMDABoAMAAQAAAP//AAACoAQAAQAAABgAAAADoAQAAQAAABAAAAAAAAAAAQACAAUAAwAAAAQBAAAAAAAAMwAAAAEA' +
    'AAAeAAAAAQAAAJ4MAABkAAAA',
  'base64',
);

/** Lossless, and EXIF. */
export const LOSSLESS_WEBP = Buffer.from(
  'UklGRm4BAABXRUJQVlA4WAoAAAAYAAAAFwAADwAAVlA4TCYAAAAvF8ADELmM6H/sIqL/ASEB4YH/j0VxFAZQLJhY7Ao+1AlAVC1v' +
    'BkVYSUYiAQAARXhpZgAASUkqAAgAAAAJAA8BAgALAAAAmAAAABIBAwABAAAAAQAAABoBBQABAAAAegAAABsBBQABAAAAggAAACgB' +
    'AwABAAAAAgAAABMCAwABAAAAAQAAAJiCAgANAAAAigAAAGmHBAABAAAApAAAACWIBAABAAAA8gAAAAAAAAA4YwAA6AMAADhjAADo' +
    'AwAAc2VjcmV0IHBsYWNlAABQaG9uZU1ha2VyAAAGAACQBwAEAAAAMDIxMAGRBwAEAAAAAQIDAACgBwAEAAAAMDEwMAGgAwABAAAA' +
    '//8AAAKgBAABAAAAGAAAAAOgBAABAAAAEAAAAAAAAAABAAIABQADAAAABAEAAAAAAAAzAAAAAQAAAB4AAAABAAAAngwAAGQAAAA=',
  'base64',
);

/** Two frames. */
export const ANIMATED_WEBP = Buffer.from(
  'UklGRk4BAABXRUJQVlA4WAoAAAASAAAAFwAADwAAQU5JTQYAAAD/////AQBBTk1GfAAAAAAAAAAAABcAAA8AAGQAAAJWUDggZAAA' +
    'ABAEAJ0BKhgAEAA+bS6TRaQioZgEAEAGxLYATplCOBvJQDCS7GOvAIJQAP78a1ClUtqkG4JcM47ez//HOM/TAcJ8oNXXWT/zMfh4' +
    'y6Hxvw+jmjIXHVIF21sFY4/OA8p7VPnqsABBTk1GngAAAAAAAAAAABcAAA8AAGQAAAJBTFBIGAAAAAG5jOh/gEjbRsXYxE/u4WHE' +
    'BEwAtc7NAFZQOCBmAAAAEAQAnQEqGAAQAD5tLpNFpCKhmAQAQAbEtgBOmUI4G8lAMJLsY68AglAA/vxrUKVS2qQbglwzjt7P/8c4' +
    'z9MBwnyg1ddZP/Mx+ObkopZlv5VeyMvZv1CJQBwm5EfQd83r2fmoAAAA',
  'base64',
);

/** What a body is sent as, unless a test says otherwise: a picture by what it is, all else as JSON. */
export const mediaTypeOf = (body: unknown): string =>
  Buffer.isBuffer(body) && body.subarray(0, 8).equals(PNG_SIGNATURE) ? 'image/png' : 'application/json';
