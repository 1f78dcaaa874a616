import type { Model, ParameterValue } from "../../contract/model.js";
import type { Language } from "../texts/texts.js";
import type { FormField } from "./form/fields.js";
import { offeredModels } from "./form/offered-models.js";
import { typedValue } from "./form/typed-value.js";
import { valueName } from "./parameter-names.js";

/** Finds the value that a text typed on the page of a parameter names, in the words of its buttons. */
export function typedSetting(field: FormField, text: string, language: Language): ParameterValue | undefined {
  return typedValue(field, text, (value) => {
    const name = valueName(field, value, language);
    return typeof value === "boolean" ? [name, language.t(value ? "value-yes" : "value-no")] : [name];
  });
}

export function typedModel(models: readonly Model[], text: string): Model | undefined {
  const typed = text.trim().toLowerCase();
  const titled = offeredModels(models).filter(({ title }) => title.toLowerCase() === typed);
  return titled.length === 1 ? titled[0] : undefined;
}
