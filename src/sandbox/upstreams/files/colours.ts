import { createHash } from "node:crypto";

/** Colours that a text always gives, and that differ from those of another text. */
export function coloursOf(about: string): { from: string; to: string; spots: readonly Spot[] } {
  const hash = createHash("sha256").update(about).digest();
  const byte = (at: number) => hash[at % hash.length] ?? 0;
  const hue = byte(0) * 1.4;
  const spots = [0, 1, 2, 3, 4].map((index) => ({
    x: byte(3 + index * 3) / 255,
    y: byte(4 + index * 3) / 255,
    radius: 0.06 + byte(5 + index * 3) / 1500,
    colour: `hsla(${Math.round(hue + 40 + index * 50)}, 70%, 60%, 0.7)`,
  }));
  return {
    from: `hsl(${Math.round(hue)}, 60%, 35%)`,
    to: `hsl(${Math.round(hue + 60 + byte(1) / 4)}, 65%, 62%)`,
    spots,
  };
}

/** Places and radii are shares of the picture's sides. */
export interface Spot {
  x: number;
  y: number;
  radius: number;
  colour: string;
}
