import type { Draft, DraftChange } from "../draft-store.js";
import { withoutAutoFormat } from "./auto-format.js";
import { withParameters, withSetting } from "./change-model.js";
import type { FormState } from "./evaluate-form.js";
import { choicesOf, type FormField } from "./fields.js";
import { withoutPicture } from "./picture-fields.js";

type SettingAction =
  | { action: "parameter" | "toggle" | "clear" }
  | { action: "value" | "remove"; index: number };

/** Returns undefined when the parameter does not offer the action. */
export function settingChange(
  draft: Draft,
  { model, fields }: Pick<FormState, "model" | "fields">,
  field: FormField,
  data: SettingAction,
): DraftChange | undefined {
  const { name } = field;
  const { parameters } = draft;
  switch (data.action) {
    case "parameter":
      return { view: { kind: "parameter", name } };
    case "toggle":
      if (field.kind !== "toggle") return undefined;
      return withSetting(draft, fields, name, parameters[name] !== true);
    case "value": {
      const value = choicesOf(field)[data.index];
      return value === undefined ? undefined : withSetting(draft, fields, name, value);
    }
    case "remove": {
      if (field.kind !== "pictures") return undefined;
      const others = withoutPicture(fields, parameters, name, data.index);
      const left = withoutAutoFormat(model, fields, draft, others);
      const stays = left[name] !== undefined;
      return { ...withParameters(draft, fields, left), ...(stays ? { view: draft.view } : {}) };
    }
    case "clear": {
      if (field.kind === "pictures") {
        const others = withoutPicture(fields, parameters, name, "all");
        return withParameters(draft, fields, withoutAutoFormat(model, fields, draft, others));
      }
      const { [name]: _cleared, ...rest } = parameters;
      return withParameters(draft, fields, rest);
    }
  }
}
