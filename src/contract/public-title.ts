import type { Model } from "./model.js";

export function publicTitle({ title, isPreview = false }: Pick<Model, "title" | "isPreview">): string {
  return isPreview ? `${title} (local preview)` : title;
}
