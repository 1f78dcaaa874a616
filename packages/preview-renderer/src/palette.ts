import { type Colour, colourOf, lighten, mix, saturate, tinted } from "./colour.js";
import type { Random } from "./random.js";
import type { Scene } from "./words.js";

/** The colours of one picture. */
export interface Palette {
  /** The sky from its top over its middle to the horizon. */
  top: Colour;
  mid: Colour;
  low: Colour;
  /** The disc of the sun or the moon, and what its light lies on. */
  light: Colour;
  /** What distance fades to. */
  haze: Colour;
  /** The nearest silhouettes. */
  near: Colour;
  /** Colour of the few things that should catch the eye. */
  accent: Colour;
  /** How much of a thing's own colour is seen in this light, 0 to 1. */
  ambient: number;
}

type Row = readonly [
  top: string,
  mid: string,
  low: string,
  light: string,
  haze: string,
  near: string,
  accent: string,
];

const DAY: readonly [Row, ...Row[]] = [
  ["#2f74b8", "#7db9e0", "#e6f1ea", "#fffbe6", "#c9dfe6", "#1b4750", "#f2a65a"],
  ["#2b8aa6", "#8ccfcf", "#f6f0d9", "#fffdf0", "#c4dfd6", "#1d4a48", "#ef8354"],
  ["#4773b8", "#9db8e2", "#f7e9e0", "#fff8e8", "#d3d6e6", "#2a3f63", "#f28482"],
];
const DAWN: readonly [Row, ...Row[]] = [
  ["#6d92c4", "#f0bcbf", "#ffe9cc", "#fff6df", "#e8c9c6", "#36466b", "#f5876e"],
  ["#7c86c0", "#efaebf", "#fde3c4", "#fff3e0", "#dfb9c4", "#3b3560", "#ffb26b"],
  ["#5f9fb0", "#cfd8c6", "#ffe6bd", "#fffae0", "#d5d3bd", "#27505a", "#ef8a62"],
];
const SUNSET: readonly [Row, ...Row[]] = [
  ["#2c2f62", "#b4547c", "#ffb570", "#fff2cf", "#e58f78", "#1c1838", "#ffd08a"],
  ["#1f4272", "#d8726f", "#ffd08f", "#fff6d8", "#eb9d7e", "#231b3c", "#ff8f5c"],
  ["#47306d", "#ee6f67", "#ffc67f", "#fff0c4", "#f29572", "#261337", "#ffe1a0"],
  ["#124559", "#c08a7c", "#ffc57a", "#fff4d2", "#d99f79", "#0f2532", "#ff9f5c"],
];
const NIGHT: readonly [Row, ...Row[]] = [
  ["#060a22", "#15264f", "#4a6a9c", "#f6f2dd", "#3d5988", "#04071a", "#ffcf7d"],
  ["#0b0720", "#2a1b54", "#7a4a8c", "#fbeedd", "#563a7c", "#080516", "#ff9ec4"],
  ["#03121e", "#0c3545", "#3b8a8a", "#f0f7e4", "#27626b", "#020d15", "#ffd98a"],
];
const STORM: readonly [Row, ...Row[]] = [
  ["#2a3542", "#5d6d7b", "#b4bdb9", "#f2f3ea", "#8b9aa1", "#171f27", "#e8b06a"],
  ["#2e3350", "#67698a", "#c2b6bb", "#f6efe6", "#918fa6", "#1a1b2e", "#f0a07a"],
];
const NEON: readonly [Row, ...Row[]] = [
  ["#0d0828", "#43146b", "#f2508e", "#ffe3f1", "#8b2f86", "#090418", "#35e0e6"],
  ["#06102e", "#1d3b8c", "#29c4d8", "#e6fcff", "#2a6bab", "#030719", "#ff4f9a"],
];
const AMBIENT = { day: 0.72, dawn: 0.46, sunset: 0.3, night: 0.16 } as const;

function rowsOf(scene: Scene): readonly [Row, ...Row[]] {
  if (scene.mood === "neon") return NEON;
  if (scene.time === "night") return NIGHT;
  if (scene.weather === "rain" || scene.weather === "storm") return STORM;
  if (scene.time === "sunset") return SUNSET;
  return scene.time === "dawn" ? DAWN : DAY;
}

/**
 * The colours of a scene: a harmony made by hand for its light, turned towards the colours that the
 * prompt names and those of the references.
 * @param reference colours of the reference pictures from dark to light; empty without references
 */
export function paletteOf(scene: Scene, random: Random, reference: readonly Colour[]): Palette {
  const [top, mid, low, light, haze, near, accent] = random.pick(rowsOf(scene)).map(colourOf) as unknown as [
    Colour,
    Colour,
    Colour,
    Colour,
    Colour,
    Colour,
    Colour,
  ];
  let palette: Palette = { top, mid, low, light, haze, near, accent, ambient: AMBIENT[scene.time] };
  if (scene.weather === "snow" && scene.time === "day") palette = overcast(palette);
  if (scene.weather === "fog") palette = { ...palette, haze: mix(palette.haze, palette.low, 0.6) };
  if (scene.mood === "dark") palette = each(palette, (colour) => saturate(lighten(colour, -0.1), 0.85));
  if (scene.mood === "bright") palette = each(palette, (colour) => saturate(colour, 1.18));
  // With a subject the colour is most likely the subject's, and the light only takes a little of it.
  const [first, second] = scene.colours;
  if (first) palette = turned(palette, first, second ?? first, scene.subjects.length > 0 ? 0.2 : 0.62);
  const [darkest, ...lighter] = reference;
  const lightest = lighter.at(-1);
  if (darkest && lightest) palette = turned(palette, lightest, darkest, 0.55);
  return palette;
}

function overcast(palette: Palette): Palette {
  const pale = colourOf("#dfe7ef");
  return { ...palette, top: mix(palette.top, pale, 0.35), mid: mix(palette.mid, pale, 0.45), haze: pale };
}

function each(palette: Palette, change: (colour: Colour) => Colour): Palette {
  const { top, mid, low, light, haze, near, accent, ambient } = palette;
  const changed = { top: change(top), mid: change(mid), low: change(low), haze: change(haze) };
  return { ...changed, light, near: change(near), accent, ambient };
}

function turned(palette: Palette, bright: Colour, deep: Colour, share: number): Palette {
  return {
    ...palette,
    top: tinted(palette.top, deep, share),
    mid: tinted(palette.mid, bright, share),
    low: tinted(palette.low, bright, share * 0.6),
    haze: tinted(palette.haze, bright, share * 0.8),
    near: tinted(palette.near, deep, share * 0.6),
    accent: mix(palette.accent, bright, share),
  };
}
