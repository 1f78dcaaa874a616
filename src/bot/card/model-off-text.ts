import type { Model } from "../../contract/model.js";
import type { Language } from "../texts/texts.js";
import { type Draft, modelOf } from "./draft/draft.js";

/** Tells why a draft cannot be ordered: its model is gone, or nothing of its type is made. Undefined otherwise. */
export function modelOffText(
  draft: Draft,
  models: readonly Model[],
  { t }: Pick<Language, "t">,
): string | undefined {
  if (models.length === 0) return t("kind-off", { type: draft.type });
  return draft.modelKey === null || modelOf(draft, models) ? undefined : t("model-off");
}
