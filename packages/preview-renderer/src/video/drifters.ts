import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { type Colour, css } from "../colour.js";
import { radial } from "../stage.js";

/** One of many small things that fall, fly or twinkle. Lengths in pixels of the stage, time in seconds. */
export interface Drifter {
  sprite: Canvas;
  x: number;
  y: number;
  width: number;
  height: number;
  depth: number;
  /** Pixels a second. */
  speedX: number;
  speedY: number;
  /** How far it swings sideways. */
  sway: number;
  /** Rate of its swinging and its twinkling, in radians a second. */
  rate: number;
  /** Phase in radians. */
  phase: number;
  alpha: number;
  /** How much of its light comes and goes: 0 none, 1 all. */
  twinkle: number;
  /** Radians a second. */
  spin: number;
}

/** Maps a point of the stage to the picture, and tells how much larger it is there. */
export type Place = (x: number, y: number, depth: number) => readonly [x: number, y: number, scale: number];

export interface DrifterScene {
  /** The stage that they fly over; who leaves it on one side comes back on the other. */
  width: number;
  height: number;
  place: Place;
  seconds: number;
  /** Opacity of them all, 0 to 1. */
  alpha: number;
}

export function paintDrifters(
  ctx: SKRSContext2D,
  drifters: readonly Drifter[],
  { width, height, place, seconds, alpha }: DrifterScene,
): void {
  ctx.save();
  for (const drifter of drifters) {
    const wave = Math.sin(seconds * drifter.rate + drifter.phase);
    const strength = drifter.alpha * alpha * (1 - drifter.twinkle * (0.5 + 0.5 * wave));
    if (strength < 0.01) continue;
    const pad = Math.max(drifter.width, drifter.height);
    const [x, y, scale] = place(
      wrapped(drifter.x + drifter.speedX * seconds + drifter.sway * wave, width, pad),
      wrapped(drifter.y + drifter.speedY * seconds, height, pad),
      drifter.depth,
    );
    const [w, h] = [drifter.width * scale, drifter.height * scale];
    ctx.globalAlpha = strength;
    if (drifter.spin === 0) {
      ctx.drawImage(drifter.sprite, x - w / 2, y - h / 2, w, h);
      continue;
    }
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(drifter.phase + drifter.spin * seconds);
    ctx.drawImage(drifter.sprite, -w / 2, -h / 2, w, h);
    ctx.restore();
  }
  ctx.restore();
}

/** `value` in the span from −`pad` to `length` + `pad`, coming back on the other side. */
function wrapped(value: number, length: number, pad: number): number {
  const span = length + pad * 2;
  return ((((value + pad) % span) + span) % span) - pad;
}

const SPRITE_SIDE = 48;

/** A round spot of light: `core` is how much of its radius is bright. */
export function spotSprite(colour: Colour, core: number): Canvas {
  const canvas = createCanvas(SPRITE_SIDE, SPRITE_SIDE);
  const ctx = canvas.getContext("2d");
  const half = SPRITE_SIDE / 2;
  ctx.fillStyle = radial(ctx, half, half, half, [
    [0, css(colour, 1)],
    [core, css(colour, 0.85)],
    [core + (1 - core) * 0.4, css(colour, 0.25)],
    [1, css(colour, 0)],
  ]);
  ctx.fillRect(0, 0, SPRITE_SIDE, SPRITE_SIDE);
  return canvas;
}

/** A streak of rain, falling to the left by `slant` of its length. */
export function streakSprite(colour: Colour, slant: number): Canvas {
  const canvas = createCanvas(Math.ceil(8 + 64 * slant), 64);
  const ctx = canvas.getContext("2d");
  const line = ctx.createLinearGradient(0, 0, 0, 64);
  line.addColorStop(0, css(colour, 0));
  line.addColorStop(0.7, css(colour, 0.7));
  line.addColorStop(1, css(colour, 0.1));
  ctx.strokeStyle = line;
  ctx.lineWidth = 2.4;
  ctx.beginPath();
  ctx.moveTo(canvas.width - 3, 0);
  ctx.lineTo(3, 64);
  ctx.stroke();
  return canvas;
}

/** A petal or a leaf. */
export function petalSprite(colour: string): Canvas {
  const canvas = createCanvas(SPRITE_SIDE, SPRITE_SIDE);
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.moveTo(2, 24);
  ctx.quadraticCurveTo(24, 2, 46, 24);
  ctx.quadraticCurveTo(24, 36, 2, 24);
  ctx.fill();
  return canvas;
}
