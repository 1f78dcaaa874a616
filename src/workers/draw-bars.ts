import { createCanvas } from "@napi-rs/canvas";
import type { ChartBar } from "./chart-process.js";

const WIDTH = 800;
const HEIGHT = 360;
const MARGIN = 24;
const LINES = 4;
/** Share of its place that a column fills. */
const COLUMN_SHARE = 0.7;
const COLORS = { ground: "#ffffff", line: "#e3e7eb", bar: "#3390ec", marked: "#e5533d" };

/** Draws columns as a PNG picture. It has no words: the image of the service has no fonts. */
export function drawBars(columns: readonly ChartBar[]): Buffer {
  const canvas = createCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext("2d");
  const fill = (color: string, x: number, y: number, width: number, height: number) => {
    context.fillStyle = color;
    context.fillRect(x, y, width, height);
  };
  fill(COLORS.ground, 0, 0, WIDTH, HEIGHT);
  const room = HEIGHT - 2 * MARGIN;
  const floor = HEIGHT - MARGIN;
  for (let line = 0; line <= LINES; line += 1)
    fill(COLORS.line, MARGIN, floor - (room * line) / LINES, WIDTH - 2 * MARGIN, 1);
  const highest = Math.max(1, ...columns.map(({ value }) => value));
  const place = (WIDTH - 2 * MARGIN) / Math.max(1, columns.length);
  for (const [index, { value, marked }] of columns.entries()) {
    const x = MARGIN + place * (index + (1 - COLUMN_SHARE) / 2);
    const top = floor - (room * value) / highest;
    fill(COLORS.bar, x, top, place * COLUMN_SHARE, floor - top);
    fill(COLORS.marked, x, top, place * COLUMN_SHARE, (room * Math.min(marked, value)) / highest);
  }
  return canvas.toBuffer("image/png");
}
