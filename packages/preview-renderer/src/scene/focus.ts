import { createCanvas } from "@napi-rs/canvas";
import { beginLayer, paintedSoFar, type Stage, spread } from "../stage.js";

/** Lets all that is painted so far get out of focus, so that what comes in front of it stands out. */
export function defocus(stage: Stage): void {
  const { width, height, unit } = stage;
  const whole = paintedSoFar(stage);
  const small = createCanvas(Math.ceil(width / unit / 8), Math.ceil(height / unit / 8));
  const ctx = small.getContext("2d");
  ctx.filter = "blur(1.2px)";
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(whole, 0, 0, small.width, small.height);
  beginLayer(stage, 0.3);
  const over = 0.02;
  spread(stage.ctx, small, -width * over, -height * over, width * (1 + over * 2), height * (1 + over * 2));
}
