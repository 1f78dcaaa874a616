import type { Model } from "../../../contract/model.js";
import type { Draft } from "../draft/draft.js";
import { mainTextName } from "./active-fields.js";
import { type FormField, fieldNamed, fieldsOf, type ModelFields, type Parameters } from "./fields.js";

/** What a card asks typed words for: its main text, a parameter, or one of the listed models. */
export type Asked = { kind: "text" } | { kind: "parameter"; name: string } | { kind: "models" };

/** Tells what the page that a card shows asks for. Undefined: words beside it are its description. */
export function askedOn({ view }: Pick<Draft, "view">, model: Model | undefined): Asked | undefined {
  if (!model) return undefined;
  if (view.kind === "text" || view.kind === "models") return { kind: view.kind };
  if (view.kind !== "parameter" || !fieldNamed(fieldsOf(model), view.name)) return undefined;
  return { kind: "parameter", name: view.name };
}

export function askedField(
  asked: Asked | undefined,
  fields: ModelFields,
  parameters: Parameters,
): FormField | undefined {
  const name = asked?.kind === "text" ? mainTextName(fields, parameters) : parameterOf(asked);
  return name === undefined ? undefined : fieldNamed(fields, name);
}

/** True for a field whose value is typed or sent. Others have buttons only. */
export function isWritten(field: FormField | undefined): field is FormField {
  return field !== undefined && ["text", "number", "pictures"].includes(field.kind);
}

export function parameterOf(asked: Asked | undefined): string | undefined {
  return asked?.kind === "parameter" ? asked.name : undefined;
}
