import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { GlobalFonts } from "@napi-rs/canvas";

type Weight = 500 | 800;

// Every subset has a family name of its own: subsets registered under one name hide each other.
const SUBSETS = ["latin", "cyrillic", "latin-ext", "cyrillic-ext", "greek"] as const;

const { resolve } = createRequire(import.meta.url);

/** The family of a subset, registered when it is first asked for. */
function familyOf(subset: string, weight: Weight): string {
  const family = `Inter ${subset} ${weight}`;
  if (!GlobalFonts.has(family)) {
    const file = resolve(`@fontsource/inter/files/inter-${subset}-${weight}-normal.woff2`);
    GlobalFonts.register(readFileSync(file), family);
  }
  return `"${family}"`;
}

/** A font for the context of a canvas. `size` in pixels. */
export function fontOf(weight: Weight, size: number, subsets: readonly string[] = SUBSETS): string {
  return `${weight} ${size}px ${subsets.map((subset) => familyOf(subset, weight)).join(",")}`;
}

/** True when the fonts have the letters of a text. */
export function canSet(text: string): boolean {
  return (
    /\p{L}|\p{N}/u.test(text) && !/[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\P{L}]/u.test(text)
  );
}

/** The text without what the fonts lack, such as emoji. */
export function settable(text: string): string {
  return text
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{Zs}+=<>$€₽№°%]/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
}
