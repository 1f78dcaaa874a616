import type { Model, ParameterValue } from "../../contract/model.js";
import { type Form, formOf, type Parameters, type PicturesControl } from "./form.js";
import { counts, isEverUsed } from "./relevance.js";

/** What begins the value of a picture that lies in the chat: Telegram's id of the file stands behind it. */
const OF_CHAT = "telegram:";

export function chatPicture(fileId: string): string {
  return `${OF_CHAT}${fileId}`;
}

/** Telegram's id of a picture that lies in the chat; undefined for a link. */
export function fileIdOf(picture: string): string | undefined {
  return picture.startsWith(OF_CHAT) ? picture.slice(OF_CHAT.length) : undefined;
}

/** The pictures that a parameter holds. */
export function picturesIn(parameters: Parameters, name: string): readonly string[] {
  const value = parameters[name];
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** The parameters of a model that take pictures in some mode, in the catalogue's order. */
export function pictureControls(model: Model): PicturesControl[] {
  return formOf(model).controls.filter(
    (control): control is PicturesControl => control.kind === "pictures" && isEverUsed(control),
  );
}

/** Where a picture went, or why there is no place for it. */
export type Placed =
  | { kind: "placed"; name: string; parameters: Parameters }
  /** The model takes no pictures. */
  | { kind: "no_pictures" }
  /** Every place for pictures is taken. */
  | { kind: "full"; max: number };

/**
 * Puts a picture where it belongs: into the parameter that the card asks for, else into the first that has
 * room as things are, else into the first that has room once the mode is changed to its own.
 *
 * @param asked the parameter that the card shows; a single one is replaced
 */
export function placePicture(
  model: Model,
  parameters: Parameters,
  picture: string,
  asked?: string | undefined,
): Placed {
  const controls = pictureControls(model);
  if (controls.length === 0) return { kind: "no_pictures" };
  const holder = controls.find(({ name }) => picturesIn(parameters, name).includes(picture));
  if (holder && (asked === undefined || asked === holder.name))
    return { kind: "placed", name: holder.name, parameters };

  const wanted = controls.find(({ name }) => name === asked);
  if (wanted) return put(model, parameters, wanted, picture);
  const form = formOf(model);
  const used = controls.filter((control) => counts(control, form, parameters));
  const candidates = used.length > 0 ? used : controls;
  const free = candidates.find((control) => hasRoom(control, parameters));
  if (!free) return { kind: "full", max: candidates.reduce((sum, { max }) => sum + max, 0) };
  return put(model, parameters, free, picture);
}

function put(model: Model, parameters: Parameters, control: PicturesControl, picture: string): Placed {
  const { name, isList, max } = control;
  if (isList && !hasRoom(control, parameters)) return { kind: "full", max };
  const value = isList ? [...picturesIn(parameters, name), picture] : picture;
  const changed = { ...parameters, [name]: value };
  return { kind: "placed", name, parameters: withModeOf(control, formOf(model), changed) };
}

function hasRoom({ name, max }: PicturesControl, parameters: Parameters): boolean {
  return picturesIn(parameters, name).length < max;
}

/** Sets the deciding parameter so that the control counts. */
function withModeOf(control: PicturesControl, form: Form, parameters: Parameters): Parameters {
  const [value] = control.modes ?? [];
  if (!form.mode || value === undefined || counts(control, form, parameters)) return parameters;
  return { ...parameters, [form.mode.name]: value };
}

/**
 * Takes one picture, or all of them, out of a parameter. A mode that was there for the sake of pictures goes
 * with the last of them, unless the model has no other way.
 */
export function withoutPicture(
  model: Model,
  parameters: Parameters,
  name: string,
  index: number | "all",
): Parameters {
  const kept = index === "all" ? [] : picturesIn(parameters, name).filter((_, place) => place !== index);
  const { [name]: _removed, ...rest } = parameters;
  if (kept.length > 0) return { ...rest, [name]: kept };
  const { mode } = formOf(model);
  const uses = mode?.rules.get(String(rest[mode.name]))?.uses ?? [];
  if (!mode || mode.default !== undefined || !uses.includes(name)) return rest;
  if (uses.some((used) => rest[used] !== undefined)) return rest;
  const { [mode.name]: _mode, ...withoutMode } = rest;
  return withoutMode;
}

/**
 * Finds places in a model for the pictures that were given to another one. What has no place here stays under
 * its name, where it has no effect, for the next change of the model.
 */
export function rehousePictures(model: Model, parameters: Parameters): Parameters {
  const own = new Map(pictureControls(model).map((control) => [control.name, control]));
  let housed = parameters;
  for (const [name, value] of Object.entries(parameters)) {
    if (!holdsPictures(name, value)) continue;
    const control = own.get(name);
    housed = control ? fitted(control, housed) : moved(model, name, housed);
  }
  return housed;
}

/** The pictures of a parameter in the shape and number that this model takes. */
function fitted({ name, isList, max }: PicturesControl, parameters: Parameters): Parameters {
  const pictures = picturesIn(parameters, name).slice(0, max);
  return { ...parameters, [name]: isList ? pictures : (pictures[0] ?? "") };
}

function moved(model: Model, name: string, { [name]: _old, ...others }: Parameters): Parameters {
  let housed: Parameters = others;
  const left = picturesIn({ [name]: _old ?? [] }, name).filter((picture) => {
    const placed = placePicture(model, housed, picture);
    if (placed.kind === "placed") housed = placed.parameters;
    return placed.kind !== "placed";
  });
  return left.length > 0 ? { ...housed, [name]: left } : housed;
}

/** True when pictures were given that this model has no use for. */
export function hasIdlePictures(model: Model, parameters: Parameters): boolean {
  if (pictureControls(model).length > 0) return false;
  return Object.entries(parameters).some(([name, value]) => holdsPictures(name, value));
}

/** True for a value of pictures, whatever model it was given to: by the same rule as `takesPictures`. */
export function holdsPictures(name: string, value: ParameterValue): boolean {
  return Array.isArray(value) || (typeof value === "string" && name.endsWith("_url"));
}

/** How many pictures were given, whatever they are for. */
export function heldPictures(parameters: Parameters): number {
  const names = Object.keys(parameters).filter((name) => holdsPictures(name, parameters[name] ?? ""));
  return names.reduce((sum, name) => sum + picturesIn(parameters, name).length, 0);
}
