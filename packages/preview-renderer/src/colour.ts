/** A colour in OKLab, where a mix of two colours looks as bright and as vivid as it should. */
export interface Colour {
  /** Lightness from 0 to 1. */
  l: number;
  /** green (−) to red (+) */
  a: number;
  /** blue (−) to yellow (+) */
  b: number;
}

const toLinear = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const toGamma = (c: number): number => (c <= 0.0031308 ? c * 12.92 : 1.055 * c ** (1 / 2.4) - 0.055);

/** Converts sRGB channels of 0 to 255. */
export function colourOfRgb(red: number, green: number, blue: number): Colour {
  const r = toLinear(red / 255);
  const g = toLinear(green / 255);
  const b = toLinear(blue / 255);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {
    l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    a: 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    b: 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  };
}

/** Parses `#rrggbb`. */
export function colourOf(hex: string): Colour {
  const value = Number.parseInt(hex.slice(1), 16);
  return colourOfRgb((value >> 16) & 255, (value >> 8) & 255, value & 255);
}

/** sRGB channels from 0 to 255; what the screen cannot show is cut. */
export function rgbOf(colour: Colour): readonly [number, number, number] {
  const l = (colour.l + 0.3963377774 * colour.a + 0.2158037573 * colour.b) ** 3;
  const m = (colour.l - 0.1055613458 * colour.a - 0.0638541728 * colour.b) ** 3;
  const s = (colour.l - 0.0894841775 * colour.a - 1.291485548 * colour.b) ** 3;
  const channel = (linear: number): number =>
    Math.round(255 * Math.min(1, Math.max(0, toGamma(Math.max(0, linear)))));
  return [
    channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** Formats a colour for a canvas. `alpha` is from 0 to 1. */
export function css(colour: Colour, alpha = 1): string {
  const [red, green, blue] = rgbOf(colour);
  return `rgba(${red},${green},${blue},${Math.min(1, Math.max(0, alpha)).toFixed(4)})`;
}

/** `share` of `second` (0 to 1) in `first`. */
export function mix(first: Colour, second: Colour, share: number): Colour {
  return {
    l: first.l + (second.l - first.l) * share,
    a: first.a + (second.a - first.a) * share,
    b: first.b + (second.b - first.b) * share,
  };
}

/** Brighter (`by` > 0) or darker (`by` < 0), of the same hue. */
export function lighten(colour: Colour, by: number): Colour {
  return { l: Math.min(1, Math.max(0, colour.l + by)), a: colour.a, b: colour.b };
}

/** Another hue, `angle` radians away, and another vividness: a `factor` of 1 leaves it. */
export function turned(colour: Colour, angle: number, factor: number): Colour {
  const [cos, sin] = [Math.cos(angle) * factor, Math.sin(angle) * factor];
  return { l: colour.l, a: colour.a * cos - colour.b * sin, b: colour.a * sin + colour.b * cos };
}
