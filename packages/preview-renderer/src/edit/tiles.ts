import type { Canvas, SKRSContext2D } from "@napi-rs/canvas";

/** A part of the picture, in pixels. */
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
  const count = ratios.length;
  const layouts = Array.from({ length: count }, (_, index) => layoutOf(count, index + 1, width, height));
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
