import { type JobId, readJobId } from "../../../contract/job.js";
import type { ParameterValue } from "../../../contract/model.js";
import { isActive, type ModelFields, type Parameters, type PicturesField } from "./fields.js";

const OF_CHAT = "telegram:";

export function chatPicture(fileId: string): string {
  return `${OF_CHAT}${fileId}`;
}

/** Returns the file id of a picture in the chat. Undefined for a link. */
export function fileIdOf(picture: string): string | undefined {
  return picture.startsWith(OF_CHAT) ? picture.slice(OF_CHAT.length) : undefined;
}

const OF_RESULT = "result:";

export function resultPicture(jobId: JobId): string {
  return `${OF_RESULT}${jobId}`;
}

/** Returns the job whose result is the picture. Undefined for other pictures. */
export function resultJobOf(picture: string): JobId | undefined {
  return picture.startsWith(OF_RESULT) ? readJobId(picture.slice(OF_RESULT.length)) : undefined;
}

/** True for a picture that has no link of its own: one of the chat, or a result. */
export function isHere(picture: string): boolean {
  return picture.startsWith(OF_CHAT) || picture.startsWith(OF_RESULT);
}

/** Returns the pictures that the value of a parameter holds. */
export function picturesIn(value: ParameterValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** Holds pictures that no field of the model takes. */
const HELD_BACK = "reference_urls";
/** The most pictures that a draft keeps in one parameter, more than any model takes. */
const HELD_MAX = 20;

/** Keeps pictures without effect, for a model that takes them. */
export function heldBack(parameters: Parameters, pictures: readonly string[]): Parameters {
  const all = [...picturesIn(parameters[HELD_BACK]), ...pictures];
  return { ...parameters, [HELD_BACK]: [...new Set(all)].slice(0, HELD_MAX) };
}

type Placed = { kind: "placed"; parameters: Parameters } | { kind: "full"; max: number };

/**
 * Fills the field that the card asks for, else an active one. Sets the mode only when none is active.
 * A full list, and a model that takes no pictures, keep the picture without effect.
 * @param asked the parameter that the card shows; a single picture in it is replaced
 */
export function placePicture(
  fields: ModelFields,
  parameters: Parameters,
  picture: string,
  asked?: string | undefined,
): Placed {
  const takers = fields.pictures;
  if (takers.length === 0) return { kind: "placed", parameters: heldBack(parameters, [picture]) };
  const holder = takers.find(({ name }) => picturesIn(parameters[name]).includes(picture));
  if (holder && (asked === undefined || asked === holder.name)) return { kind: "placed", parameters };

  const wanted = takers.find(({ name }) => name === asked);
  if (wanted) return put(fields, parameters, wanted, picture);
  const active = takers.filter((field) => isActive(field, fields, parameters));
  const candidates = active.length > 0 ? active : takers;
  const free =
    candidates.find(({ name, max }) => picturesIn(parameters[name]).length < max) ??
    candidates.find((field) => field.isList && canHold(field, parameters));
  if (!free) return { kind: "full", max: candidates.reduce((sum, field) => sum + roomOf(field), 0) };
  return put(fields, parameters, free, picture);
}

function put(fields: ModelFields, parameters: Parameters, field: PicturesField, picture: string): Placed {
  const { name, isList } = field;
  if (isList && !canHold(field, parameters)) return { kind: "full", max: roomOf(field) };
  const value = isList ? [...picturesIn(parameters[name]), picture] : picture;
  const changed = { ...parameters, [name]: value };
  const [mode] = field.modes ?? [];
  if (!fields.mode || mode === undefined || isActive(field, fields, changed))
    return { kind: "placed", parameters: changed };
  return { kind: "placed", parameters: { ...changed, [fields.mode.name]: mode } };
}

function canHold(field: PicturesField, parameters: Parameters): boolean {
  return picturesIn(parameters[field.name]).length < roomOf(field);
}

/** Counts the pictures that a field keeps: a list keeps more than the model takes. */
function roomOf({ isList, max }: PicturesField): number {
  return isList ? Math.max(HELD_MAX, max) : max;
}

/** Returns the pictures that are ordered: of a list the first ones, as many as the model takes. */
export function withoutExtraPictures(fields: ModelFields, parameters: Parameters): Parameters {
  const full = fields.pictures.filter(
    ({ name, isList, max }) => isList && picturesIn(parameters[name]).length > max,
  );
  if (full.length === 0) return parameters;
  const cut = full.map(({ name, max }) => [name, picturesIn(parameters[name]).slice(0, max)] as const);
  return { ...parameters, ...Object.fromEntries(cut) };
}

/** Removes a picture. The last one also clears a mode that uses pictures, unless the mode has a default. */
export function withoutPicture(
  { mode }: ModelFields,
  parameters: Parameters,
  name: string,
  index: number | "all",
): Parameters {
  const kept = index === "all" ? [] : picturesIn(parameters[name]).filter((_, place) => place !== index);
  const { [name]: _removed, ...rest } = parameters;
  if (kept.length > 0) return { ...rest, [name]: kept };
  const uses = mode?.rules.get(String(rest[mode.name]))?.uses ?? [];
  if (!mode || mode.default !== undefined || !uses.includes(name)) return rest;
  if (uses.some((used) => rest[used] !== undefined)) return rest;
  const { [mode.name]: _mode, ...withoutMode } = rest;
  return withoutMode;
}

/** Puts a picture in the place of another one, in each field that holds that. */
export function withPictureReplaced(parameters: Parameters, old: string, picture: string): Parameters {
  const replaced = Object.entries(parameters).map(([name, value]) => {
    if (value === old) return [name, picture] as const;
    if (!holdsPictures(name, value) || !Array.isArray(value)) return [name, value] as const;
    const pictures = (value as readonly string[]).map((one) => (one === old ? picture : one));
    return [name, [...new Set(pictures)]] as const;
  });
  return Object.fromEntries(replaced);
}

/** Moves pictures into this model's fields. The rest stay without effect for the next model. */
export function movePictures(fields: ModelFields, parameters: Parameters): Parameters {
  const own = new Map(fields.pictures.map((field) => [field.name, field]));
  let housed = parameters;
  for (const name of Object.keys(onlyPictures(parameters))) {
    const field = own.get(name);
    const pictures = picturesIn(housed[name]);
    const [first = ""] = pictures;
    if (field) housed = { ...housed, [name]: field.isList ? pictures : first };
    else housed = moved(fields, name, pictures, housed);
  }
  return housed;
}

function moved(
  fields: ModelFields,
  name: string,
  pictures: readonly string[],
  { [name]: _old, ...others }: Parameters,
): Parameters {
  let housed: Parameters = others;
  const left = pictures.filter((picture) => {
    const placed = placePicture(fields, housed, picture);
    if (placed.kind === "placed") housed = placed.parameters;
    return placed.kind !== "placed";
  });
  return left.length > 0 ? { ...housed, [name]: left } : housed;
}

export const START_FRAME = "start_frame_url";

export function takesStartFrame(fields: ModelFields): boolean {
  return fields.pictures.some(({ name }) => name === START_FRAME);
}

/** Makes a single picture the start frame, if the model takes one. */
export function asStartFrame(parameters: Parameters, fields: ModelFields): Parameters {
  const [picture, ...more] = allPictures(parameters);
  if (picture === undefined || more.length > 0 || !takesStartFrame(fields)) return parameters;
  const others = Object.entries(parameters).filter(([name, value]) => !holdsPictures(name, value));
  return { ...Object.fromEntries(others), [START_FRAME]: picture };
}

export function picturesUsed(fields: ModelFields, parameters: Parameters): number {
  return fields.pictures.reduce((sum, { name }) => sum + picturesIn(parameters[name]).length, 0);
}

/** True for a value that holds pictures of any model. Same rule as `takesPictures`. */
export function holdsPictures(name: string, value: ParameterValue): boolean {
  return Array.isArray(value) || (typeof value === "string" && name.endsWith("_url"));
}

export function onlyPictures(parameters: Parameters): Parameters {
  return Object.fromEntries(Object.entries(parameters).filter(([name, value]) => holdsPictures(name, value)));
}

export function allPictures(parameters: Parameters): string[] {
  return Object.values(onlyPictures(parameters)).flatMap((value) => picturesIn(value));
}

/** Returns the job whose result is the only picture. Undefined for several pictures, or one of another origin. */
export function onlyResultIn(parameters: Parameters): JobId | undefined {
  const [picture, ...more] = allPictures(parameters);
  return picture === undefined || more.length > 0 ? undefined : resultJobOf(picture);
}

export function heldPictures(parameters: Parameters): number {
  return allPictures(parameters).length;
}
