/** What pictures are sent as: as large as they are shown anywhere, on a screen of four pixels to each of CSS. */
const SIDE = 256;
const QUALITY = 0.85;

/** The middle of a picture, as large a square as it holds, on a canvas of at most SIDE pixels. */
const squareOf = (picture: ImageBitmap): HTMLCanvasElement => {
  const { width, height } = picture;
  const cut = Math.min(width, height);
  const side = Math.min(cut, SIDE);
  const canvas = document.createElement('canvas');
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('the browser gives no canvas');
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, (width - cut) / 2, (height - cut) / 2, cut, cut, 0, 0, side, side);
  return canvas;
};

/**
 * Cuts and shrinks what somebody has chosen. Of the file nothing is left but pixels, the right way up: no place, no time.
 * @returns undefined where the browser knows no picture in it
 */
export const toSquare = async (file: Blob): Promise<HTMLCanvasElement | undefined> => {
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (!picture) return undefined;
  try {
    return squareOf(picture);
  } finally {
    picture.close();
  }
};

const blobOf = (canvas: HTMLCanvasElement, type: string): Promise<Blob> =>
  new Promise((resolve, reject) => {
    const done = (blob: Blob | null) =>
      blob ? resolve(blob) : reject(new Error('the canvas can’t be read'));
    canvas.toBlob(done, type, QUALITY);
  });

/** A canvas as a file: WebP, or JPEG where the browser writes none, on white where one could see through it. */
export const fileOf = async (canvas: HTMLCanvasElement): Promise<Blob> => {
  const webp = await blobOf(canvas, 'image/webp');
  if (webp.type === 'image/webp') return webp;
  const flat = document.createElement('canvas');
  flat.width = canvas.width;
  flat.height = canvas.height;
  const context = flat.getContext('2d');
  if (!context) throw new Error('the browser gives no canvas');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, flat.width, flat.height);
  context.drawImage(canvas, 0, 0);
  return blobOf(flat, 'image/jpeg');
};
