import { MAX_AVATAR_SIDE } from '@parlor/shared';
import { invalid } from '../../../platform/errors.ts';
import { type Cleaned, ImageError } from './image-error.ts';
import { cleanJpeg, isJpeg } from './jpeg.ts';
import { cleanPng, isPng } from './png.ts';
import { cleanWebp, isWebp } from './webp.ts';

interface Format {
  type: string;
  /** By its first bytes. */
  is(bytes: Buffer): boolean;
  /** @throws ImageError */
  clean(bytes: Buffer): Cleaned;
}

const FORMATS: readonly Format[] = [
  { type: 'image/png', is: isPng, clean: cleanPng },
  { type: 'image/jpeg', is: isJpeg, clean: cleanJpeg },
  { type: 'image/webp', is: isWebp, clean: cleanWebp },
];

/** The media types that a picture may have. */
export const IMAGE_TYPES: readonly string[] = FORMATS.map(({ type }) => type);

const formatOf = (bytes: Buffer): Format | undefined => FORMATS.find(({ is }) => is(bytes));

/** The media type that bytes have, whatever somebody calls them; undefined for one that is none of these. */
export const imageType = (bytes: Buffer): string | undefined => formatOf(bytes)?.type;

const cleaned = (bytes: Buffer): Buffer => {
  const format = formatOf(bytes);
  if (!format) throw new ImageError('Send a picture: PNG, JPEG or WebP.');
  const { width, height, bytes: clean } = format.clean(bytes);
  if (width < 1 || height < 1 || width > MAX_AVATAR_SIDE || height > MAX_AVATAR_SIDE) {
    throw new ImageError(`Ensure the picture has 1 to ${MAX_AVATAR_SIDE} pixels in width and height.`);
  }
  return clean;
};

/**
 * A picture as it is kept and shown to everybody: the parts that make its pixels, copied out of its container, and nothing
 * else. What a camera writes into it besides, such as where it was taken, is left behind. Pixels are not decoded.
 * @throws ParlorError `invalid`
 */
export const cleanImage = (bytes: Buffer): Buffer => {
  try {
    return cleaned(bytes);
  } catch (error) {
    if (error instanceof ImageError) throw invalid({ avatar: [error.message] });
    throw error;
  }
};
