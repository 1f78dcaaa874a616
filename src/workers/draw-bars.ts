import { createCanvas } from "@napi-rs/canvas";
import type { Chart } from "./chart-process.js";

const WIDTH = 800;
const HEIGHT = 360;
const MARGIN = 24;
/** Height of the room for digits above the columns and below them. */
const DIGITS_ROOM = 44;
const LINES = 4;
/** Share of its place that a column fills. */
const COLUMN_SHARE = 0.7;
const COLORS = { ground: "#ffffff", line: "#e3e7eb", bar: "#3390ec", marked: "#e5533d", digit: "#707579" };

/** Rows of three dots each: the image of the service has no fonts. */
const DIGITS = [
  ...["111101101101111", "010110010010111", "111001111100111", "111001111001111", "101101111001001"],
  ...["111100111001111", "111100111101111", "111001001001001", "111101111101111", "111101111001111"],
];
const DOT = 4;
const DIGIT_HEIGHT = 5 * DOT;
const DIGIT_ADVANCE = 4 * DOT;

/** Draws columns as a PNG picture, with digits and without words. */
export function drawBars({ highest, columns }: Chart): Buffer {
  const canvas = createCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext("2d");
  const fill = (color: string, x: number, y: number, width: number, height: number) => {
    context.fillStyle = color;
    context.fillRect(x, y, width, height);
  };
  const write = (text: string, left: number, top: number) => {
    for (const [place, digit] of [...text].entries())
      for (const [dot, isSet] of [...(DIGITS[Number(digit)] ?? "")].entries())
        if (isSet === "1")
          fill(
            COLORS.digit,
            left + place * DIGIT_ADVANCE + (dot % 3) * DOT,
            top + Math.floor(dot / 3) * DOT,
            DOT,
            DOT,
          );
  };
  fill(COLORS.ground, 0, 0, WIDTH, HEIGHT);
  const room = HEIGHT - 2 * DIGITS_ROOM;
  const floor = HEIGHT - DIGITS_ROOM;
  const aside = (DIGITS_ROOM - DIGIT_HEIGHT) / 2;
  for (let line = 0; line <= LINES; line += 1)
    fill(COLORS.line, MARGIN, floor - (room * line) / LINES, WIDTH - 2 * MARGIN, 1);
  write(highest, MARGIN, aside);
  const most = Math.max(1, ...columns.map(({ value }) => value));
  const place = (WIDTH - 2 * MARGIN) / Math.max(1, columns.length);
  for (const [index, { value, marked, label }] of columns.entries()) {
    const x = MARGIN + place * (index + (1 - COLUMN_SHARE) / 2);
    const top = floor - (room * value) / most;
    fill(COLORS.bar, x, top, place * COLUMN_SHARE, floor - top);
    fill(COLORS.marked, x, top, place * COLUMN_SHARE, (room * Math.min(marked, value)) / most);
    const middle = MARGIN + place * (index + 0.5);
    write(label, Math.round(middle - (label.length * DIGIT_ADVANCE - DOT) / 2), floor + aside);
  }
  return canvas.toBuffer("image/png");
}
