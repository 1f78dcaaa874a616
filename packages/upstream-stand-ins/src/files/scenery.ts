import { createHash } from "node:crypto";

/** Hills under a sky, in colours of a text: the same text gives the same scenery. */
export interface Scenery {
  /** Colours of the sky, from its top to the horizon. */
  sky: readonly [string, string, string];
  sun: { x: number; y: number; radius: number; colour: string };
  /** Hills, the farthest first. */
  hills: readonly Hill[];
}

/** Heights and places are shares of the picture's sides. */
export interface Hill {
  colour: string;
  base: number;
  waves: readonly { height: number; length: number; shift: number }[];
}

const HILLS = 5;
const WAVES = 3;

export function sceneryOf(about: string): Scenery {
  const hash = createHash("sha512").update(about).digest();
  let at = 0;
  const next = () => (hash[at++ % hash.length] ?? 0) / 255;
  /** Hue between teal and rose, with a warm light. */
  const hue = 175 + 165 * next();
  const glow = 18 + 34 * next();
  const isNight = next() < 0.35;
  const [top, middle] = isNight ? [12, 26] : [46, 66];
  return {
    sky: [hsl(hue, 55, top), hsl(hue + 18, 52, middle), isNight ? hsl(glow, 45, 52) : hsl(glow, 80, 84)],
    sun: {
      x: 0.18 + 0.64 * next(),
      y: 0.2 + 0.26 * next(),
      radius: 0.06 + 0.07 * next(),
      colour: isNight ? hsl(glow, 40, 92) : hsl(glow, 95, 90),
    },
    hills: Array.from({ length: HILLS }, (_, index) => {
      const near = index / (HILLS - 1);
      return {
        colour: hsl(hue + 14 * (1 - near), 24 + 22 * near, (isNight ? 34 : 62) - (isNight ? 27 : 44) * near),
        base: 0.54 + 0.36 * near,
        waves: Array.from({ length: WAVES }, (_wave, order) => ({
          height: (0.035 + 0.05 * next()) / (order + 1),
          length: (0.35 + 0.5 * next()) / (order + 1),
          shift: next(),
        })),
      };
    }),
  };
}

function hsl(hue: number, saturation: number, lightness: number): string {
  return `hsl(${Math.round(hue % 360)}, ${Math.round(saturation)}%, ${Math.round(lightness)}%)`;
}
