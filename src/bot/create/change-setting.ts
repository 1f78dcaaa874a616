import type { Model } from "../../contract/model.js";
import type { CardAction } from "./card-data.js";
import { withParameters } from "./change-model.js";
import type { Draft } from "./draft.js";
import type { DraftChange } from "./drafts.js";
import type { Control } from "./form.js";
import { withoutPicture } from "./picture-slots.js";

/** A tap on a parameter. */
export type SettingAction = Extract<
  CardAction,
  { kind: "parameter" | "value" | "toggle" | "clear" | "remove" }
>;

/** What a tap on a parameter changes; `undefined` when the parameter does not offer it. */
export function settingChange(
  draft: Draft,
  model: Model,
  control: Control,
  action: SettingAction,
): DraftChange | undefined {
  const { name } = control;
  const { parameters } = draft;
  switch (action.kind) {
    case "parameter":
      return { view: { kind: "parameter", name } };
    case "toggle":
      if (control.kind !== "toggle") return undefined;
      return withParameters(draft, model, { ...parameters, [name]: parameters[name] !== true });
    case "value": {
      if (control.kind !== "choice" && control.kind !== "number") return undefined;
      const value = control.choices[action.index];
      return value === undefined ? undefined : withParameters(draft, model, { ...parameters, [name]: value });
    }
    case "remove": {
      if (control.kind !== "pictures") return undefined;
      const left = withoutPicture(model, parameters, name, action.index);
      const stays = left[name] !== undefined;
      return { ...withParameters(draft, model, left), ...(stays ? { view: draft.view } : {}) };
    }
    case "clear": {
      if (control.kind === "pictures")
        return withParameters(draft, model, withoutPicture(model, parameters, name, "all"));
      const { [name]: _cleared, ...rest } = parameters;
      return withParameters(draft, model, rest);
    }
  }
}
