import { readFile } from "node:fs/promises";
import { type Canvas, createCanvas, Image, type SKRSContext2D } from "@napi-rs/canvas";
import { RenderError } from "./task.js";

/** How many pixels of a reference serve one pixel of the result, since sides that do not fit are cut off. */
const PIXELS_PER_RESULT_PIXEL = 2;
/** The same for all references of a task together. */
const ALL_PIXELS_PER_RESULT_PIXEL = 4;
/** 8192 × 8192 pixels take 256 MB when decoded. */
const PICTURE_PIXELS_MAX = 8192 * 8192;

class TooManyPixelsError extends Error {
  override readonly name = "TooManyPixelsError";
}

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
      const reason =
        error instanceof TooManyPixelsError
          ? "it has more than 64 megapixels"
          : "it is damaged, or no picture";
      const message = `Reference picture ${index + 1} could not be read: ${reason}.`;
      throw new RenderError("reference", message, { cause: error });
    }
  }
  return pictures;
}

/** @throws TooManyPixelsError, and whatever the decoder throws */
async function decode(bytes: Buffer, pixelsMax: number): Promise<Canvas> {
  if (isJpeg(bytes) && !isPlainJpeg(bytes)) throw new Error("the size of the JPEG is not clear");
  const image = new Image();
  // Its failure is told by decode().
  image.onerror = () => {};
  image.src = bytes;
  // The sides are known before the pixels are decoded.
  const pixels = image.naturalWidth * image.naturalHeight;
  if (pixels > PICTURE_PIXELS_MAX) throw new TooManyPixelsError();
  if (pixels < 1) throw new Error("the picture does not state its size");
  await image.decode();
  const scale = Math.min(1, Math.sqrt(pixelsMax / pixels));
  const side = (length: number) => Math.max(1, Math.round(length * scale));
  const picture = createCanvas(side(image.naturalWidth), side(image.naturalHeight));
  const ctx = picture.getContext("2d");
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(image, 0, 0, picture.width, picture.height);
  // Gives the decoded pixels back now: the garbage collector does not see how much memory they take.
  image.src = Buffer.alloc(0);
  return picture;
}

/** True for bytes that a decoder takes for a JPEG. */
function isJpeg(bytes: Buffer): boolean {
  return bytes.length > 3 && bytes.readUIntBE(0, 3) === 0xffd8ff;
}

/**
 * True when each segment up to the frame header begins where the one before it ends. Where bytes stand between
 * them, readers may find different headers, and the sides that one reads are not those that another decodes.
 */
function isPlainJpeg(bytes: Buffer): boolean {
  let at = 2;
  while (at + 4 <= bytes.length) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return false;
    // The frame header: baseline, extended or progressive.
    if (marker === 0xc0 || marker === 0xc1 || marker === 0xc2) return true;
    const isStandalone = marker >= 0xd0 && marker <= 0xd9;
    if (marker < 0xc4 || marker === 0xff || isStandalone) return false;
    at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return false;
}

/** A part of a picture, in pixels. */
interface Tile {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The part of the picture's mean side that lies between two tiles. */
const GAP = 0.012;

/** Puts one picture over the whole surface, or several beside each other as a collage, each cut from its middle; returns where. */
export function paintTiles(
  ctx: SKRSContext2D,
  images: readonly Canvas[],
  width: number,
  height: number,
): readonly Tile[] {
  ctx.fillStyle = "#ffffff";
  ctx.fillRect(0, 0, width, height);
  ctx.imageSmoothingQuality = "high";
  const ratios = images.map((image) => image.width / image.height);
  const tiles = tilesOf(ratios, width, height);
  for (const [index, tile] of tiles.entries()) {
    const image = images[index];
    if (!image) continue;
    const scale = Math.max(tile.width / image.width, tile.height / image.height);
    const [wide, tall] = [tile.width / scale, tile.height / scale];
    const [left, top] = [(image.width - wide) / 2, (image.height - tall) / 2];
    ctx.drawImage(image, left, top, wide, tall, tile.x, tile.y, tile.width, tile.height);
  }
  return tiles;
}

/** Rows of tiles that fill the surface, in the number of columns that cuts least off the pictures. */
function tilesOf(ratios: readonly number[], width: number, height: number): Tile[] {
  const layouts = ratios.map((_, index) => layoutOf(ratios.length, index + 1, width, height));
  const loss = (tiles: readonly Tile[]): number =>
    tiles.reduce(
      (sum, tile, index) => sum + Math.abs(Math.log(tile.width / tile.height / (ratios[index] ?? 1))),
      0,
    );
  return layouts.reduce((best, tiles) => (loss(tiles) < loss(best) ? tiles : best), layouts[0] ?? []);
}

/** Whole rows first; the last row shares the width among the rest. */
function layoutOf(count: number, columns: number, width: number, height: number): Tile[] {
  const gap = count === 1 ? 0 : Math.sqrt(width * height) * GAP;
  const rows = Math.ceil(count / columns);
  const tall = (height - gap * (rows + 1)) / rows;
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns);
    const inRow = Math.min(columns, count - row * columns);
    const wide = (width - gap * (inRow + 1)) / inRow;
    const column = index - row * columns;
    return { x: gap + column * (wide + gap), y: gap + row * (tall + gap), width: wide, height: tall };
  });
}
