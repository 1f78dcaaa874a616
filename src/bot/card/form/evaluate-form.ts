import type { Model, ParameterValue } from "../../../contract/model.js";
import { type Kopecks, type QuotedPrice, quotedPrice, totalKopecks } from "../../../contract/price.js";
import type { GenerationRequest } from "../../../contract/request.js";
import { type Composed, type Draft, modelOf } from "../draft-store.js";
import { isBroughtFormat } from "./auto-format.js";
import { isGiven } from "./change-model.js";
import {
  type FormField,
  fieldNamed,
  fieldsOf,
  isActive,
  isSetting,
  type Missing,
  type ModelFields,
  mainTextName,
  mainTextOf,
  missingFields,
  modeValue,
  type Parameters,
  SILENCED_BY,
  type Way,
  waysOf,
  withoutMainText,
} from "./fields.js";
import {
  heldPictures,
  holdsPictures,
  isHere,
  onlyPictures,
  picturesIn,
  picturesUsed,
  withoutExtraPictures,
} from "./picture-fields.js";
import { neutralValues, offeredParameters } from "./starting-parameters.js";

const WITHOUT = /(?:без|не надо|no|without)\s+(?:\p{L}+\s+){0,2}/u.source;
const VOICE = [
  "голос(?:а|у|ом|е|ами)?",
  "вокал(?:а|у|ом|е|ист|истка|истки|ьн\\p{L}+)?",
  "по[её]т",
  "поют",
  "спой\\p{L}*",
  "пев(?:ец|ица|ицы|цом|ицей)",
  "хор(?:а|ом)?",
  "voices?",
  "vocals?",
  "vocalists?",
  "singers?",
  "sing(?:s|ing)?",
  "sung",
  "choir",
].join("|");
const NAMED = new RegExp(`(?<!\\p{L})(${WITHOUT})?(?:${VOICE})(?!\\p{L})`, "giu");

/** Words on a card that do not prevent the payment. */
export type Notice =
  | { kind: "pictures_idle" }
  | { kind: "pictures_cut"; max: number; given: number }
  | { kind: "text_unused"; name: string }
  | { kind: "voice_unused" }
  | { kind: "picture_next"; name: string }
  /** Links that became pictures. */
  | { kind: "links_added"; links: readonly string[] };

/** Lists what the card has to say. `given`: the parameters of the draft, with all its pictures. */
export function noticesOf({ fields, active, values, text }: FormState, given: Parameters): Notice[] {
  const cut = active.flatMap((field): Notice[] => {
    if (field.kind !== "pictures") return [];
    const count = picturesIn(given[field.name]).length;
    return count > field.max ? [{ kind: "pictures_cut", max: field.max, given: count }] : [];
  });
  const unused = Object.entries(SILENCED_BY).flatMap(([name, toggle]): Notice[] => {
    const sung = fieldNamed(fields, name);
    const isUnused = values[toggle] === true && sung && isActive(sung, fields, values);
    return isUnused && fieldNamed(fields, toggle) ? [{ kind: "text_unused", name }] : [];
  });
  const silent = unused.length === 0 ? voiceUnused(fields, values, text) : [];
  const isIdle = fields.pictures.length === 0 && heldPictures(given) > 0;
  const idle = isIdle ? [{ kind: "pictures_idle" } as const] : [];
  return [...linksOf(active, given), ...nextPicture(active, given), ...idle, ...cut, ...unused, ...silent];
}

function voiceUnused(fields: ModelFields, values: Parameters, text = ""): Notice[] {
  // `без голоса` asks for nobody who sings.
  const isNamed = [...text.matchAll(NAMED)].some(([, without]) => without === undefined);
  if (!isNamed) return [];
  const toggles = Object.values(SILENCED_BY);
  const isSilent = toggles.some((toggle) => values[toggle] === true && fieldNamed(fields, toggle));
  return isSilent ? [{ kind: "voice_unused" }] : [];
}

function linksOf(active: readonly FormField[], given: Parameters): Notice[] {
  const pictures = active.flatMap(({ kind, name }) => (kind === "pictures" ? picturesIn(given[name]) : []));
  const links = pictures.filter((picture) => !isHere(picture));
  return links.length > 0 ? [{ kind: "links_added", links }] : [];
}

/** Names the field of the next picture, after the first of several single ones such as the frames of a video. */
function nextPicture(active: readonly FormField[], given: Parameters): Notice[] {
  const single = active.filter((field) => field.kind === "pictures" && !field.isList);
  const next = single.find(({ name }) => given[name] === undefined);
  return next && single.some(({ name }) => given[name] !== undefined)
    ? [{ kind: "picture_next", name: next.name }]
    : [];
}

/** A card has seven buttons: these, ⚙️, the model, ✖️ and ✅. */
const SETTINGS_ON_CARD = 3;

/** The kinds of settings that people change most, whatever the model. Any other is rare. */
const COMMON: readonly string[] = [
  "aspect_ratio",
  "duration_sec",
  "resolution",
  "reference_urls",
  "count",
  "style_preset_id",
  "custom_style",
  "make_instrumental",
];

/** The active fields by the page of the card that shows them. */
export interface Pages {
  common: readonly FormField[];
  /** Fields of the second page. With them stands the button that asks for the main text again. */
  rare: readonly FormField[];
}

/**
 * Chooses the settings of the card. What must be chosen with a button is always one of them; of a model with
 * unknown settings only, the first ones are.
 */
export function pagesOf({ active: settings, values, missing, mainText }: FormState): Pages {
  // A button asks for the main text.
  const others = mainText === undefined ? 0 : 1;
  if (settings.length + others <= SETTINGS_ON_CARD) return { common: settings, rare: [] };
  const wanted = new Set(missing.flatMap((one) => (one.kind === "one_of" ? one.names : [])));
  const isWanted = ({ name, isRequired }: FormField) => isRequired || wanted.has(name);
  const known = settings
    .filter((field) => isCommon(field, settings, values))
    .toSorted((one, other) => COMMON.indexOf(one.name) - COMMON.indexOf(other.name));
  const plain = settings.filter(({ kind }) => kind !== "pictures");
  const first = (known.length > 0 ? known : plain).slice(0, SETTINGS_ON_CARD);
  const common = [...first, ...plain.filter((field) => isWanted(field) && !first.includes(field))];
  const rare = settings.filter((field) => !common.includes(field));
  return rare.length + others < 2 ? { common: [...common, ...rare], rare: [] } : { common, rare };
}

/** Counts pictures as common once there are any. A field that a rare one replaces leaves its place to it. */
function isCommon({ name, kind }: FormField, settings: readonly FormField[], values: Parameters): boolean {
  if (kind === "pictures" && values[name] === undefined) return false;
  if (name === "custom_style") return !settings.some((other) => other.name === "style_preset_id");
  return COMMON.includes(name);
}

export interface FormState {
  model: Model;
  fields: ModelFields;
  /** The fields that have an effect with the current values, without the main text. */
  active: readonly FormField[];
  /** What the main text may be, where the mode decides it. */
  ways: readonly Way[];
  /** Field values by name. The mode always has one. */
  values: Parameters;
  /** The parameter that the next text sets. Undefined when the model takes no text. */
  mainText: string | undefined;
  text: string | undefined;
  /** What must be added before the draft can be paid. */
  missing: readonly Missing[];
  /** Pictures may still be in the format of `chatPicture`. */
  request: GenerationRequest;
  /** Undefined when the price table has none. Not exact where the service tells it only when it accepts the order. */
  price: QuotedPrice | undefined;
  /** The price when nothing is missing. */
  payable: Kopecks | undefined;
}

/** Evaluates a draft with a model. A value that the model does not offer counts as its default. */
export function evaluateForm(model: Model, draft: Pick<Draft, "parameters">): FormState {
  const fields = fieldsOf(model);
  const parameters = withoutExtraPictures(fields, offeredParameters(model, draft.parameters));
  const active = fields.all.filter((field) => isActive(field, fields, parameters));
  const mainText = mainTextName(fields, parameters);
  const mode = modeValue(fields, parameters);
  const values = fields.mode && mode !== undefined ? { ...parameters, [fields.mode.name]: mode } : parameters;
  const text = mainTextOf(parameters, fields);
  const neutral = neutralValues(fields, parameters, mainText);
  const missing = missingFields(fields, { ...parameters, ...neutral }, { name: mainText, text });
  const request: GenerationRequest = { type: model.type, model_key: model.model_key };
  // The mode is always sent: without it, the contract would report references as missing frames.
  for (const name of [...active.map((field) => field.name), ...(fields.mode ? [fields.mode.name] : [])]) {
    const value = values[name];
    if (value !== undefined) request[name] = value;
  }
  // What has one value is no field.
  for (const [name, parameter] of Object.entries(model.parameters))
    if (parameter?.required && parameter.values?.length === 1) request[name] = parameter.values[0];
  Object.assign(request, neutral);
  if (mainText !== undefined && text !== undefined) request[mainText] = text;
  const price = quotedPrice(model, request);
  const ways = waysOf(fields);
  const isWay = (name: string) => ways.length > 0 && name === fields.mode?.name;
  return {
    model,
    fields,
    active: active.filter(({ name }) => name !== mainText && !isWay(name)),
    ways,
    values,
    mainText,
    text,
    missing,
    request,
    price,
    payable: missing.length === 0 ? price?.kopecks : undefined,
  };
}

/** Prices the draft with each value of a field. Undefined where the price does not depend on it. */
export function valuePrices(
  { model, request }: Pick<FormState, "model" | "request">,
  { name, choices }: FormField,
): ReadonlyMap<ParameterValue, Kopecks | undefined> | undefined {
  const prices = new Map<ParameterValue, Kopecks | undefined>();
  for (const value of choices) prices.set(value, totalKopecks(model, { ...request, [name]: value }));
  return new Set(prices.values()).size > 1 ? prices : undefined;
}

/** Evaluates a draft. Undefined when it has no model or its model has left the catalogue. */
export function formOf(draft: Draft, models: readonly Model[]): FormState | undefined {
  const model = modelOf(draft, models);
  return model && evaluateForm(model, draft);
}

/** What a person gave that the other model cannot take. */
export interface LeftOut {
  settings: readonly { name: string; value: ParameterValue }[];
  pictures: number;
}

/** Tells what a draft loses by a change of the model. `after`: its parameters with the new one. */
export function leftOutBy(draft: Composed, from: Model | undefined, to: Model, after: Parameters): LeftOut {
  const fields = fieldsOf(to);
  const settings = givenSettings(draft, from).filter(
    ({ name, value }) => name !== fields.mode?.name && !isOffered(to, name, value),
  );
  const before = from ? picturesUsed(fieldsOf(from), draft.parameters) : heldPictures(draft.parameters);
  return { settings, pictures: Math.max(0, before - picturesUsed(fields, after)) };
}

/** Keeps what any model of the new kind takes, without the main text. */
export function carriedOver(
  draft: Composed,
  from: Model | undefined,
  to: readonly Model[],
): Composed & { leftOut: LeftOut } {
  const settings = givenSettings(draft, from);
  const isKept = ({ name, value }: LeftOut["settings"][number]) =>
    to.some((model) => isOffered(model, name, value));
  const kept = settings.filter(isKept);
  const takesPictures = to.some((model) => fieldsOf(model).pictures.length > 0);
  return {
    parameters: {
      ...Object.fromEntries(kept.map(({ name, value }) => [name, value])),
      ...(takesPictures && onlyPictures(draft.parameters)),
    },
    chosen: draft.chosen.filter((name) => kept.some((setting) => setting.name === name)),
    leftOut: {
      settings: settings.filter((setting) => !isKept(setting)),
      pictures: takesPictures ? 0 : heldPictures(draft.parameters),
    },
  };
}

/** Names the settings and the texts but the main one that take effect and are no default. Without a model: all. */
function givenSettings(draft: Composed, from: Model | undefined): LeftOut["settings"] {
  const own = from && fieldsOf(from);
  const parameters = withoutMainText(draft.parameters, own);
  const given = Object.entries(parameters)
    .filter(([name, value]) => !holdsPictures(name, value) && !isBroughtFormat(name, value, draft, own))
    .map(([name, value]) => ({ name, value }));
  if (!own) return given;
  return given.filter(({ name, value }) => {
    const field = fieldNamed(own, name);
    if (!field || name === own.mode?.name || !isActive(field, own, draft.parameters)) return false;
    return field.kind === "text" || (isSetting(field, value) && isGiven(draft, from, name, value));
  });
}

function isOffered(model: Model, name: string, value: ParameterValue): boolean {
  const field = fieldNamed(fieldsOf(model), name);
  if (field) return field.kind === "text" ? typeof value === "string" : isSetting(field, value);
  // A parameter with a single value is not a field.
  return model.parameters[name]?.values?.some((only) => only === value) ?? false;
}
