import { type Stage, spread } from "../stage.js";
import { copyOf, pixelsOf } from "./copy.js";

/** The picture is sampled at this many points a unit. */
const PER_UNIT = 1 / 4;
/** Layers from the ground to the details; lengths in units. `from`: how much must change for a stroke, of 255. */
const LAYERS = [
  { gap: 15, long: 46, thick: 22, from: 0 },
  { gap: 9, long: 26, thick: 11, from: 7 },
  { gap: 5, long: 13, thick: 5, from: 26 },
] as const;

/** Strokes of a brush that follow the forms: broad ones first, fine ones where there is detail. */
export function paintOil(stage: Stage): void {
  const { ctx, width, height, unit } = stage;
  const source = copyOf(stage, PER_UNIT, "saturate(1.2) contrast(1.05)");
  const data = pixelsOf(source);
  const random = stage.random.fork("brush");
  const flowOf = flow(pixelsOf(copyOf(stage, PER_UNIT, "blur(1.6px)")), source.width, source.height);
  spread(ctx, source, 0, 0, width, height);
  ctx.save();
  ctx.lineCap = "round";
  for (const { gap, long, thick, from } of LAYERS) {
    for (let row = 0; row * gap * unit < height + gap * unit; row++) {
      for (let column = 0; column * gap * unit < width + gap * unit; column++) {
        const x = (column + random.next() - 0.5) * gap;
        const y = (row + random.next() - 0.5) * gap;
        const shade = (random.next() - 0.5) * 22;
        const px = Math.min(source.width - 1, Math.max(0, Math.floor(x * PER_UNIT)));
        const py = Math.min(source.height - 1, Math.max(0, Math.floor(y * PER_UNIT)));
        const { angle, change } = flowOf(px, py);
        if (change < from) continue;
        const offset = (py * source.width + px) * 4;
        const [red, green, blue] = [0, 1, 2].map((channel) =>
          Math.round((data[offset + channel] ?? 0) + shade),
        );
        const reach = (long / 2) * (0.6 + 0.4 * Math.min(1, 30 / (change + 10))) * unit;
        const [alongX, alongY] = [Math.cos(angle) * reach, Math.sin(angle) * reach];
        ctx.strokeStyle = `rgba(${red},${green},${blue},0.88)`;
        ctx.lineWidth = thick * unit * (0.75 + Math.abs(shade) / 44);
        ctx.beginPath();
        ctx.moveTo(x * unit - alongX, y * unit - alongY);
        ctx.quadraticCurveTo(
          x * unit + alongY * 0.14,
          y * unit - alongX * 0.14,
          x * unit + alongX,
          y * unit + alongY,
        );
        ctx.stroke();
      }
    }
  }
  ctx.restore();
}

/** Which way the forms run at a point, and how much changes across them. */
function flow(data: Uint8ClampedArray, width: number, height: number) {
  const light = (x: number, y: number): number => {
    const offset = (Math.min(height - 1, Math.max(0, y)) * width + Math.min(width - 1, Math.max(0, x))) * 4;
    return 0.3 * (data[offset] ?? 0) + 0.59 * (data[offset + 1] ?? 0) + 0.11 * (data[offset + 2] ?? 0);
  };
  return (x: number, y: number) => {
    const across = light(x + 2, y) - light(x - 2, y);
    const down = light(x, y + 2) - light(x, y - 2);
    const change = Math.hypot(across, down);
    // Where nothing changes the strokes sway slowly.
    const angle = change < 3 ? Math.sin(x / 31) * 0.5 + Math.cos(y / 23) * 0.4 : Math.atan2(across, -down);
    return { angle, change };
  };
}
