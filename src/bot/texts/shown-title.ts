import { readPublicTitle } from "../../contract/public-title.js";
import type { Language } from "./texts.js";

/** Returns the title of a model as the API gives it, with the mark of a preview in the reader's language. */
export function shownTitle(publicTitle: string, { t }: Language): string {
  const { title, isPreview } = readPublicTitle(publicTitle);
  return isPreview ? `${title} ${t("local-preview")}` : title;
}
