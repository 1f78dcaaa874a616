import type { FormField, ModelFields, Parameters } from "./fields.js";

/** Returns the value of the mode: the chosen one, else its default, else derived from the given parameters. */
export function modeValue({ mode }: ModelFields, parameters: Parameters): string | undefined {
  if (!mode) return undefined;
  const chosen = parameters[mode.name];
  if (typeof chosen === "string" && mode.rules.has(chosen)) return chosen;
  if (mode.default !== undefined) return mode.default;
  const usesOf = (value: string) => mode.rules.get(value)?.uses ?? [];
  const given = mode.values.find((value) => usesOf(value).some((name) => parameters[name] !== undefined));
  return given ?? mode.values.find((value) => usesOf(value).length === 0) ?? mode.values.at(-1);
}

export function isActive(field: FormField, fields: ModelFields, parameters: Parameters): boolean {
  const { supersededBy, modes, isRequired } = field;
  if (supersededBy !== undefined && parameters[supersededBy] !== undefined) return false;
  if (!modes || isRequired) return true;
  const value = modeValue(fields, parameters);
  return value !== undefined && modes.includes(value);
}

export function isEverActive({ modes, isRequired }: FormField): boolean {
  return isRequired || modes === undefined || modes.length > 0;
}

/** Names the parameter that the next text sets: the prompt, else the mode's required text, else the first text. */
export function mainTextName(fields: ModelFields, parameters: Parameters): string | undefined {
  const texts = fields.all.filter(({ kind }) => kind === "text").map(({ name }) => name);
  if (texts.includes("prompt")) return "prompt";
  const asked = fields.mode?.rules.get(modeValue(fields, parameters) ?? "")?.uses ?? [];
  return asked.find((name) => texts.includes(name)) ?? texts[0];
}
