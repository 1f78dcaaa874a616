import type { Model, ParameterValue } from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";
import type { Composed, Draft, DraftChange } from "../draft-store.js";
import { isBroughtFormat, shapeOfRatio, withAutoFormat, withoutAutoFormat } from "./auto-format.js";
import {
  type FormField,
  fieldNamed,
  fieldsOf,
  guessedWay,
  isSetting,
  type ModelFields,
  mainTextName,
  mainTextOf,
  namedMainText,
  type Parameters,
  usualOf,
  type Way,
  waysOf,
  withMainText,
  withMode,
  withoutMainText,
} from "./fields.js";
import { asStartFrame, holdsPictures, movePictures, onlyPictures, withoutPicture } from "./picture-fields.js";
import { isNeutral, offeredParameters, startingParameters } from "./starting-parameters.js";

/**
 * Keeps what the new model takes, except defaults that nobody chose. The rest stays without effect.
 * @param last the parameters that the person used last with the new model
 * @param shape of the first picture: width divided by height
 */
export function toModel(
  draft: Composed,
  from: Model | undefined,
  to: Model,
  last: Parameters,
  shape?: number,
): DraftChange {
  const [before, after] = [from && fieldsOf(from), fieldsOf(to)];
  const given = from ? draft.parameters : asStartFrame(draft.parameters, after);
  const kept = Object.entries(given).filter(
    ([name, value]) =>
      isGiven(draft, from, name, value) &&
      !isBroughtFormat(name, value, draft, before) &&
      isTaken(name, value, after),
  );
  const moved = movePictures(after, {
    ...startingParameters(to, last),
    ...Object.fromEntries(kept),
  });
  const parameters = from ? moved : wordsTaken(after, { parameters: moved, chosen: draft.chosen });
  const seen = shape ?? (from && shapeOfRatio(draft.parameters.aspect_ratio));
  return {
    modelKey: to.model_key,
    parameters: withAutoFormat(after, parameters, draft.chosen, seen),
    ...promptMessage(before && mainTextName(before, draft.parameters), mainTextName(after, parameters)),
    view: { kind: "card" },
  };
}

/** Sets parameters of a draft. A change of the mode may change which text is the main one. */
export function withParameters(draft: Draft, fields: ModelFields, parameters: Parameters): DraftChange {
  const [before, after] = [draft.parameters, parameters].map((one) => mainTextName(fields, one));
  return { parameters, ...promptMessage(before, after), view: { kind: "card" } };
}

export function withSetting(draft: Draft, fields: ModelFields, name: string, value: ParameterValue) {
  const isMode = name === fields.mode?.name;
  const set = isMode
    ? withMode(fields, draft.parameters, String(value))
    : { ...draft.parameters, [name]: value };
  const change = withParameters(draft, fields, set);
  return { ...change, chosen: [...new Set([...draft.chosen, name])] };
}

type SettingAction =
  | { action: "parameter" | "toggle" }
  | { action: "clear" }
  | { action: "value" | "remove"; index: number };

/** Returns undefined when the parameter does not offer the action. */
export function settingChange(
  draft: Draft,
  { model, fields }: { model: Model; fields: ModelFields },
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
      const value = field.choices[data.index];
      return value === undefined ? undefined : withSetting(draft, fields, name, value);
    }
    case "remove":
    case "clear": {
      if (field.kind === "pictures") {
        const others = withoutPicture(fields, parameters, name, data.action === "clear" ? "all" : data.index);
        const left = withoutAutoFormat(model, draft, others);
        return {
          ...withParameters(draft, fields, left),
          ...(left[name] !== undefined && { view: draft.view }),
        };
      }
      if (data.action === "remove") return undefined;
      const { [name]: _cleared, ...rest } = parameters;
      return withParameters(draft, fields, rest);
    }
  }
}

/** Names the text of a card that had no model. One of several lines is taken for the words of a song. */
export function wordsTaken(fields: ModelFields, { parameters, chosen }: Composed): Parameters {
  const text = mainTextOf(parameters, undefined);
  const way = text === undefined ? undefined : guessedWay(fields, { parameters, chosen }, text);
  return namedMainText(way ? withMode(fields, parameters, way.value) : parameters, fields);
}

/** Asks for the text of a way, which the person chose. */
export function toWay(draft: Draft, fields: ModelFields, { value }: Way): DraftChange {
  const change = fields.mode ? withSetting(draft, fields, fields.mode.name, value) : {};
  return { ...change, view: { kind: "text" } };
}

/** Leaves a page. A way whose text was not written gives place to one that has its text. */
export function toCard(draft: Draft, fields: ModelFields | undefined): DraftChange {
  const { view, parameters } = draft;
  const isUnwritten = view.kind === "text" && mainTextOf(parameters, fields) === undefined;
  const way = isUnwritten && fields && waysOf(fields).find(({ text }) => parameters[text] !== undefined);
  return { ...(way && toWay(draft, fields, way)), view: { kind: "card" } };
}

/** Makes the main text that of another way, as after a wrong guess. */
export function asWay(draft: Draft, fields: ModelFields, way: Way): DraftChange {
  const { mode } = fields;
  const text = mainTextOf(draft.parameters, fields) ?? "";
  const others = withMode(fields, withoutMainText(draft.parameters, fields), way.value);
  return {
    parameters: { ...others, [way.text]: text },
    chosen: [...new Set([...draft.chosen, ...(mode ? [mode.name] : [])])],
    view: { kind: "card" },
  };
}

/** Sets a new main text. Several lines are taken for the words of a song, unless the person chose a way. */
export function withNewText(draft: Draft, fields: ModelFields, text: string): DraftChange {
  const way = guessedWay(fields, draft, text);
  if (!way) return { parameters: withMainText(draft.parameters, fields, text) };
  const parameters = withMainText(withMode(fields, draft.parameters, way.value), fields, text);
  return withParameters(draft, fields, parameters);
}

/** False for a default of the model that the person did not choose. */
export function isGiven({ chosen }: Composed, from: Model | undefined, name: string, value: ParameterValue) {
  return !from || chosen.includes(name) || value !== (usualOf(from, name) ?? false);
}

/** True unless the new model has the parameter and not this value of it. */
function isTaken(name: string, value: ParameterValue, to: ModelFields): boolean {
  if (holdsPictures(name, value)) return true;
  if (name === to.mode?.name) return to.mode.rules.has(String(value));
  const field = fieldNamed(to, name);
  if (!field) return true;
  return field.kind === "text" ? typeof value === "string" : isSetting(field, value);
}

/** Forgets the message whose edit changes the main text, when that is another text now. */
function promptMessage(before: string | undefined, after: string | undefined): DraftChange {
  const isOther = before !== undefined && after !== undefined && before !== after;
  return isOther ? { promptMessageId: null } : {};
}

/** Pictures come from the ordered draft, if it is still kept: links in a request expire after an hour. */
export function composedAgain(
  request: GenerationRequest,
  model: Model,
  ordered: Pick<Draft, "parameters"> | undefined,
): Draft["parameters"] {
  const { type: _type, model_key: _key, ...asked } = request;
  const given = Object.entries(asked as Parameters).filter(
    ([name, value]) => !isNeutral(name, value) && !holdsPictures(name, value),
  );
  const parameters = { ...Object.fromEntries(given), ...onlyPictures(ordered?.parameters ?? {}) };
  return offeredParameters(model, parameters);
}

/** Leaves out the models whose place another model of the list has taken. */
export function offeredModels(models: readonly Model[]): readonly Model[] {
  const keys = new Set(models.map(({ model_key }) => model_key));
  return models.filter(({ successor }) => successor === undefined || !keys.has(successor));
}
