import type { Model, ParameterValue } from "../../contract/model.js";
import { type Control, type Form, formOf, type Parameters } from "./form.js";

/** The value of the deciding parameter: as it was chosen, else its default, else by what is given. */
export function modeValue({ mode }: Form, parameters: Parameters): string | undefined {
  if (!mode) return undefined;
  const chosen = parameters[mode.name];
  if (typeof chosen === "string" && mode.rules.has(chosen)) return chosen;
  if (mode.default !== undefined) return mode.default;
  const usesOf = (value: string) => mode.rules.get(value)?.uses ?? [];
  const given = mode.values.find((value) => usesOf(value).some((name) => parameters[name] !== undefined));
  return given ?? mode.values.find((value) => usesOf(value).length === 0) ?? mode.values.at(-1);
}

/** What a control is set to; the deciding one always has a value. */
export function settingOf(control: Control, form: Form, parameters: Parameters): ParameterValue | undefined {
  return control.name === form.mode?.name ? modeValue(form, parameters) : parameters[control.name];
}

/** True when the parameter has an effect as the others are now. */
export function counts(control: Control, form: Form, parameters: Parameters): boolean {
  const { supersededBy, modes, isRequired } = control;
  if (supersededBy !== undefined && parameters[supersededBy] !== undefined) return false;
  if (!modes || isRequired) return true;
  const value = modeValue(form, parameters);
  return value !== undefined && modes.includes(value);
}

/** True when the parameter has an effect with some value of the deciding one. */
export function isEverUsed({ modes, isRequired }: Control): boolean {
  return isRequired || modes === undefined || modes.length > 0;
}

/**
 * The parameter that the person's next text is: the prompt; for a model without one, the text that its mode
 * asks for, else its first text.
 */
export function mainTextName(model: Model, parameters: Parameters): string | undefined {
  const form = formOf(model);
  const { texts } = form;
  if (texts.includes("prompt")) return "prompt";
  const value = modeValue(form, parameters);
  const asked = form.mode?.rules.get(value ?? "")?.uses ?? [];
  return asked.find((name) => texts.includes(name)) ?? texts[0];
}

/** The controls that a card shows: those that have an effect now, without the main text. */
export function shownControls(model: Model, parameters: Parameters): Control[] {
  const form = formOf(model);
  const main = mainTextName(model, parameters);
  return form.controls.filter((control) => control.name !== main && counts(control, form, parameters));
}
