import type { Model, ParameterValue } from "../../../contract/model.js";
import type { Draft } from "../draft/draft.js";
import { isActive } from "./active-fields.js";
import { isBroughtFormat } from "./auto-format.js";
import { isGiven } from "./change-model.js";
import { fieldNamed, fieldsOf, isSetting, type ModelFields, type Parameters } from "./fields.js";
import { withoutMainText } from "./main-text.js";
import { heldPictures, holdsPictures, pictureFields, picturesUsed } from "./picture-fields.js";

/** What a person gave that the other model cannot take. */
export interface LeftOut {
  settings: readonly { name: string; value: ParameterValue }[];
  pictures: number;
}

/** The part of a draft that another kind takes. */
export interface Carried extends Pick<Draft, "parameters" | "chosen"> {
  leftOut: LeftOut;
}

/** Tells what a draft loses by a change of the model. `after`: its parameters with the new one. */
export function leftOutBy(
  draft: Pick<Draft, "parameters" | "chosen">,
  from: Model | undefined,
  to: Model,
  after: Parameters,
): LeftOut {
  const fields = fieldsOf(to);
  const settings = givenSettings(draft, from).filter(
    ({ name, value }) => name !== fields.mode?.name && !isOffered(to, fields, name, value),
  );
  const before = from ? picturesUsed(fieldsOf(from), draft.parameters) : heldPictures(draft.parameters);
  return { settings, pictures: Math.max(0, before - picturesUsed(fields, after)) };
}

/** Keeps what any model of the new kind takes, without the main text. */
export function carriedOver(
  draft: Pick<Draft, "parameters" | "chosen">,
  from: Model | undefined,
  to: readonly Model[],
): Carried {
  const models = to.map((model) => ({ model, fields: fieldsOf(model) }));
  const settings = givenSettings(draft, from);
  const isKept = ({ name, value }: LeftOut["settings"][number]) =>
    models.some(({ model, fields }) => isOffered(model, fields, name, value));
  const kept = settings.filter(isKept);
  const held = Object.entries(draft.parameters).filter(([name, value]) => holdsPictures(name, value));
  const takesPictures = models.some(({ fields }) => pictureFields(fields).length > 0);
  return {
    parameters: {
      ...Object.fromEntries(kept.map(({ name, value }) => [name, value])),
      ...(takesPictures ? Object.fromEntries(held) : {}),
    },
    chosen: draft.chosen.filter((name) => kept.some((setting) => setting.name === name)),
    leftOut: {
      settings: settings.filter((setting) => !isKept(setting)),
      pictures: takesPictures ? 0 : heldPictures(draft.parameters),
    },
  };
}

/** Names the settings and the texts but the main one that take effect and are no default. Without a model: all. */
function givenSettings(
  draft: Pick<Draft, "parameters" | "chosen">,
  from: Model | undefined,
): LeftOut["settings"] {
  const own = from && fieldsOf(from);
  const parameters = withoutMainText(draft.parameters, own);
  const given = Object.entries(parameters)
    .filter(([name, value]) => !holdsPictures(name, value) && !isBroughtFormat(name, value, draft, own))
    .map(([name, value]) => ({ name, value }));
  if (!from) return given;
  const fields = fieldsOf(from);
  return given.filter(({ name, value }) => {
    const field = fieldNamed(fields, name);
    if (!field || name === fields.mode?.name || !isActive(field, fields, draft.parameters)) return false;
    return field.kind === "text" || (isSetting(field, value) && isGiven(draft, from, name, value));
  });
}

function isOffered(model: Model, fields: ModelFields, name: string, value: ParameterValue): boolean {
  const field = fieldNamed(fields, name);
  if (field) return field.kind === "text" ? typeof value === "string" : isSetting(field, value);
  // A parameter with a single value is not a field.
  return model.parameters[name]?.values?.some((only) => only === value) ?? false;
}
