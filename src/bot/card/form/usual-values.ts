import type { Model, ParameterValue } from "../../../contract/model.js";
import { DURATION, defaultOf, fieldNamed, fieldsOf, isSetting } from "./fields.js";

/** A model's own default may be a jingle: a card of music begins with a song's length, in seconds. */
const SONG_SEC = 120;

/** The value with which a card begins: the model's default, or a song's length. */
export function usualOf(model: Model, name: string): ParameterValue | undefined {
  const isSong = model.type === "music" && name === DURATION;
  const field = isSong ? fieldNamed(fieldsOf(model), name) : undefined;
  return field && isSetting(field, SONG_SEC) ? SONG_SEC : defaultOf(model, name);
}
