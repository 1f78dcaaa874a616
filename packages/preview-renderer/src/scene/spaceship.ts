import { Path2D } from "@napi-rs/canvas";
import { type Colour, colourOf, css, lighten, mix } from "../colour.js";
import { radial, type Stage, vertical } from "../stage.js";
import { enter, type Spot } from "./figures.js";

/** A winged spaceship that climbs on the light of its engines. */
export function paintSpaceship(stage: Stage, spot: Spot, own: Colour | undefined): void {
  const { ctx, palette } = stage;
  const hull = mix(own ?? colourOf("#dfe4ee"), palette.mid, 0.14);
  const dark = mix(hull, colourOf("#1a2036"), 0.6);
  ctx.save();
  ctx.translate(spot.x, spot.y - spot.tall / 2);
  ctx.rotate(-0.34);
  ctx.translate(-spot.x, -spot.y + spot.tall / 2);
  enter(stage, spot);
  for (const y of [50, 60]) {
    const flame = ctx.createLinearGradient(10, 0, -62, 0);
    flame.addColorStop(0, "rgba(235,250,255,0.98)");
    flame.addColorStop(0.25, "rgba(110,200,255,0.8)");
    flame.addColorStop(1, "rgba(70,120,255,0)");
    ctx.fillStyle = flame;
    ctx.fill(
      new Path2D(
        `M10 ${y - 3.6} C-14 ${y - 5} -36 ${y - 2} -62 ${y} C-36 ${y + 2} -14 ${y + 5} 10 ${y + 3.6} Z`,
      ),
    );
  }
  ctx.save();
  ctx.globalCompositeOperation = "screen";
  ctx.fillStyle = radial(ctx, 6, 55, 46, [
    [0, "rgba(120,200,255,0.7)"],
    [1, "rgba(120,200,255,0)"],
  ]);
  ctx.fillRect(-40, 9, 92, 92);
  ctx.restore();
  ctx.fillStyle = css(lighten(dark, 0.06));
  ctx.fill(new Path2D("M34 48 L14 20 L26 20 L70 46 Z M14 44 L2 26 L12 26 L30 46 Z"));
  ctx.fillStyle = vertical(ctx, 40, 70, [
    [0, css(lighten(hull, 0.06))],
    [0.55, css(hull)],
    [1, css(dark)],
  ]);
  ctx.fill(new Path2D("M8 46 C30 38 74 38 106 55 C112 58 112 60 106 62 C78 70 30 70 8 66 Z"));
  ctx.fillStyle = css(mix(palette.accent, colourOf("#e0524a"), 0.5));
  ctx.fill(new Path2D("M10 57.4 C40 60 80 60 109 58.6 L108.4 60.8 C80 63.4 40 63.4 10 61.6 Z"));
  ctx.fillStyle = vertical(ctx, 41, 54, [
    [0, "#d8f6ff"],
    [1, "#2d6fa8"],
  ]);
  ctx.fill(new Path2D("M62 42.4 C74 43.4 86 47.4 93 52 C84 53.4 72 53 64 51.4 C61 49 60.6 45 62 42.4 Z"));
  ctx.fillStyle = "#ffe3a2";
  for (const x of [24, 34, 44]) {
    ctx.beginPath();
    ctx.arc(x, 51, 2, 0, Math.PI * 2);
    ctx.fill();
  }
  ctx.fillStyle = css(dark);
  ctx.fill(new Path2D("M44 62 L18 88 L32 88 L78 64 Z M6 44 H13 V68 H6 Z"));
  ctx.restore();
  ctx.restore();
}
