import type { Model, ParameterValue } from "../../../contract/model.js";
import { DURATION, defaultOf, fieldNamed, fieldsOf, isSetting } from "./fields.js";

/** The length in seconds with which a card of music begins: a model's own default may be a jingle. */
const SONG_SEC = 120;

/** Returns the value with which a card begins: the model's default, or a song's length. */
export function usualOf(model: Model, name: string): ParameterValue | undefined {
  const isSong = model.type === "music" && name === DURATION;
  const field = isSong ? fieldNamed(fieldsOf(model), name) : undefined;
  return field && isSetting(field, SONG_SEC) ? SONG_SEC : defaultOf(model, name);
}
