import { readFile } from "node:fs/promises";
import { type Canvas, createCanvas } from "@napi-rs/canvas";
import { type Colour, colourOfRgb } from "./colour.js";
import { decodePicture, releasePicture, TOO_MANY_PIXELS, TooManyPixelsError } from "./decode-picture.js";
import { isJpeg, isPlainJpeg } from "./jpeg.js";
import { RenderError } from "./render-error.js";
import { beginLayer, type Stage } from "./stage.js";

/** Pictures are measured on a copy of this many pixels a side. */
const SAMPLE_SIDE = 24;
/** How many pixels of a reference serve one pixel of the result, since sides that do not fit are cut off. */
const PIXELS_PER_RESULT_PIXEL = 2;
/** The same for all references of a task together. */
const ALL_PIXELS_PER_RESULT_PIXEL = 4;

/**
 * Decodes the reference pictures one after the other, each once. One that is larger than the result needs is kept
 * smaller, in its own shape.
 * @param resultPixels the number of pixels of the result
 * @throws RenderError `reference` when one cannot be read, is no picture or is too large to be decoded
 */
export async function openReferences(paths: readonly string[], resultPixels: number): Promise<Canvas[]> {
  const pixelsMax =
    resultPixels * Math.min(PIXELS_PER_RESULT_PIXEL, ALL_PIXELS_PER_RESULT_PIXEL / paths.length);
  const pictures: Canvas[] = [];
  for (const [index, path] of paths.entries()) {
    try {
      pictures.push(await decode(await readFile(path), pixelsMax));
    } catch (error) {
      const reason = error instanceof TooManyPixelsError ? TOO_MANY_PIXELS : "it is damaged, or no picture";
      const message = `Reference picture ${index + 1} could not be read: ${reason}.`;
      throw new RenderError("reference", message, { cause: error });
    }
  }
  return pictures;
}

/** @throws TooManyPixelsError, and whatever the decoder throws */
async function decode(bytes: Buffer, pixelsMax: number): Promise<Canvas> {
  if (isJpeg(bytes) && !isPlainJpeg(bytes)) throw new Error("the size of the JPEG is not clear");
  const image = await decodePicture(bytes);
  const scale = Math.min(1, Math.sqrt(pixelsMax / (image.naturalWidth * image.naturalHeight)));
  const side = (length: number) => Math.max(1, Math.round(length * scale));
  const picture = createCanvas(side(image.naturalWidth), side(image.naturalHeight));
  const ctx = picture.getContext("2d");
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(image, 0, 0, picture.width, picture.height);
  releasePicture(image);
  return picture;
}

/** Five colours of the pictures from dark to light; none without pictures. */
export function coloursOf(images: readonly Canvas[]): Colour[] {
  const colours: Colour[] = [];
  const canvas = createCanvas(SAMPLE_SIDE, SAMPLE_SIDE);
  const ctx = canvas.getContext("2d");
  for (const image of images) {
    ctx.clearRect(0, 0, SAMPLE_SIDE, SAMPLE_SIDE);
    ctx.drawImage(image, 0, 0, SAMPLE_SIDE, SAMPLE_SIDE);
    const { data } = ctx.getImageData(0, 0, SAMPLE_SIDE, SAMPLE_SIDE);
    for (let offset = 0; offset < data.length; offset += 4) {
      if ((data[offset + 3] ?? 0) < 128) continue;
      colours.push(colourOfRgb(data[offset] ?? 0, data[offset + 1] ?? 0, data[offset + 2] ?? 0));
    }
  }
  colours.sort((first, second) => first.l - second.l);
  const shares = colours.length > 0 ? [0.05, 0.25, 0.5, 0.75, 0.95] : [];
  return shares.map((share) => meanOf(colours, share));
}

/** The mean of the tenth of a sorted list around `share`. */
function meanOf(colours: readonly Colour[], share: number): Colour {
  const half = Math.max(1, Math.round(colours.length / 20));
  const middle = Math.round(share * (colours.length - 1));
  const part = colours.slice(Math.max(0, middle - half), middle + half + 1);
  const sum = part.reduce((a, c) => ({ l: a.l + c.l, a: a.a + c.a, b: a.b + c.b }), { l: 0, a: 0, b: 0 });
  return { l: sum.l / part.length, a: sum.a / part.length, b: sum.b / part.length };
}

/** The pictures alone, in soft bands, each in a layer of its own where the picture has layers. */
export function paintBands(stage: Stage, images: readonly Canvas[]): void {
  const { width, height } = stage;
  const isWide = width >= height;
  const rows = images.length > 4 ? 2 : 1;
  const inRow = Math.ceil(images.length / rows);
  for (const [index, image] of images.entries()) {
    const row = Math.floor(index / inRow);
    const count = Math.min(inRow, images.length - row * inRow);
    const along = (index - row * inRow) / count;
    const [x, y] = isWide ? [along, row / rows] : [row / rows, along];
    const [w, h] = isWide ? [1 / count, 1 / rows] : [1 / rows, 1 / count];
    beginLayer(stage, 0.3 + 0.4 * ((index * 0.618) % 1), "float");
    paintBand(stage, image, x * width, y * height, w * width, h * height, images.length === 1);
  }
}

/** One picture, cut to its band without distortion, with edges that fade over a part of the next band. */
function paintBand(
  stage: Stage,
  image: Canvas,
  x: number,
  y: number,
  wide: number,
  tall: number,
  isAlone: boolean,
): void {
  const fade = isAlone ? 0.16 : 0.24;
  const grow = isAlone ? 0 : fade / 2;
  const box = {
    x: x - wide * grow,
    y: y - tall * grow,
    width: wide * (1 + grow * 2),
    height: tall * (1 + grow * 2),
  };
  const layer = createCanvas(Math.ceil(box.width), Math.ceil(box.height));
  const ctx = layer.getContext("2d");
  const scale = Math.max(layer.width / image.width, layer.height / image.height);
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(
    image,
    (layer.width - image.width * scale) / 2,
    (layer.height - image.height * scale) / 2,
    image.width * scale,
    image.height * scale,
  );
  ctx.globalCompositeOperation = "destination-in";
  for (const [dx, dy] of [
    [layer.width, 0],
    [0, layer.height],
  ] as const) {
    const mask = ctx.createLinearGradient(0, 0, dx, dy);
    for (const [at, alpha] of [
      [0, 0],
      [fade * 0.5, 0.5],
      [fade, 0.96],
      [1 - fade, 0.96],
      [1 - fade * 0.5, 0.5],
      [1, 0],
    ] as const) {
      mask.addColorStop(at, `rgba(0,0,0,${alpha})`);
    }
    ctx.fillStyle = mask;
    ctx.fillRect(0, 0, layer.width, layer.height);
  }
  stage.ctx.drawImage(layer, box.x, box.y);
}
