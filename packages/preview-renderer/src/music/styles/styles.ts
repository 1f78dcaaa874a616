import { ACOUSTIC } from "./acoustic.js";
import { AMPLIFIED } from "./amplified.js";
import type { Style } from "./style.js";

/** The styles, by the ids of the catalogue. */
export const STYLES = { ...AMPLIFIED, ...ACOUSTIC } as const satisfies Record<string, Style>;

export type StyleName = keyof typeof STYLES;

export function styleOf(name: StyleName): Style {
  return STYLES[name];
}
