import type { Model } from "./model.js";

const PREVIEW = " (local preview)";

export function publicTitle({ title, isPreview = false }: Pick<Model, "title" | "isPreview">): string {
  return isPreview ? `${title}${PREVIEW}` : title;
}

/** Reads what `publicTitle` wrote, in the parts that a front-end shows in a person's language. */
export function readPublicTitle(text: string): { title: string; isPreview: boolean } {
  const isPreview = text.endsWith(PREVIEW) && text.length > PREVIEW.length;
  return { title: isPreview ? text.slice(0, -PREVIEW.length) : text, isPreview };
}
