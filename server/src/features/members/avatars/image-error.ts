/** Why an upload is no picture that is taken; its text is for whoever sent it. */
export class ImageError extends Error {
  override name = 'ImageError';
}

/** A container that ends before it says it does, or is put together in no way that its format allows. */
export const broken = (): ImageError => new ImageError('The picture is broken or not whole.');

export const animated = (): ImageError => new ImageError('The picture is animated: send a still one.');

/** Chunks or segments of one picture; programs write some dozens, and each is work of its own (docs/limits.md). */
const MAX_PARTS = 512;

/** Counts the parts of a picture. @returns what takes the next one @throws ImageError where it is one too many */
export const partCounter = (): (() => void) => {
  let parts = 0;
  return () => {
    if (++parts > MAX_PARTS) throw new ImageError(`The picture has more than ${MAX_PARTS} parts.`);
  };
};

/** What stands behind the end of a picture is for another reader, such as one of archives or pages. */
export const followed = (): ImageError => new ImageError('Something follows the end of the picture.');

/** A picture's bytes without what is not shown, and its size in pixels. */
export interface Cleaned {
  bytes: Buffer;
  width: number;
  height: number;
}
