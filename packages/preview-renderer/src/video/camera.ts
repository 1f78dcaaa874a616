import type { Random } from "../random.js";
import type { Stage } from "../stage.js";
import { eased, type Moment } from "./film.js";
import type { VideoSize } from "./video-size.js";

/** How much wider and taller than the picture its stage is, so that the camera has room. */
export const STAGE_SCALE = { width: 1.16, height: 1.07 } as const;

/** Place of a layer before the camera: `pixel = point · scale + (x, y)`. */
interface View {
  scale: number;
  x: number;
  y: number;
}

/** Sees the layer of a depth at a moment. */
export type Camera = (depth: number, moment: Moment) => View;

/** How far the camera goes aside and up, as parts of the picture's sides; the room is 0.08 and 0.035. */
const ASIDE = 0.068;
const UPWARD = 0.03;
/** What keeps its place when the camera goes in, as a part of the height: low, so that the ground stays in view. */
const MIDDLE = 0.7;

/**
 * A camera that goes slowly aside and into the scene or out of it; near layers move most, and all of it
 * stays on the stage. A longer film goes further.
 */
export function cameraOf(stage: Stage, frame: VideoSize, durationSec: number, random: Random): Camera {
  const aside = (random.chance(0.5) ? 1 : -1) * frame.width * ASIDE;
  const upward = (random.chance(0.5) ? 1 : -1) * frame.height * UPWARD;
  const zoom = Math.min(0.34, 0.08 + 0.02 * durationSec);
  const goesIn = random.chance(0.7);
  const [middleX, middleY] = [stage.width / 2, stage.height * MIDDLE];
  const [marginX, marginY] = [(stage.width - frame.width) / 2, (stage.height - frame.height) / 2];
  return (depth, { share }) => {
    const way = eased(share);
    const near = 1 + zoom * (goesIn ? way : 1 - way) * (0.3 + 0.7 * depth);
    const swing = (way - 0.5) * 2 * depth;
    return {
      scale: near,
      x: middleX * (1 - near) - marginX + aside * swing,
      y: middleY * (1 - near) - marginY + upward * swing,
    };
  };
}
