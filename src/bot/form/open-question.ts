import type { Model } from "../../contract/model.js";
import { type Draft, modelOf } from "../draft/draft.js";
import { mainTextName } from "./active-fields.js";
import { askedField } from "./apply-message.js";
import { type Field, fieldNamed, fieldsOf } from "./fields.js";

export function asksMainText({ view }: Pick<Draft, "view">): boolean {
  return view.kind === "text" || (view.kind === "card" && view.isAsked === true);
}

/** What the card asks for: the main text or a parameter. Undefined when it asks for nothing. */
export function openQuestion(draft: Draft, models: readonly Model[]): Field | undefined {
  const model = modelOf(draft, models);
  const fields = model && fieldsOf(model);
  if (!fields || !asksMainText(draft)) return fields && askedField(draft, fields);
  const name = mainTextName(fields, draft.parameters);
  return name === undefined ? undefined : fieldNamed(fields, name);
}
