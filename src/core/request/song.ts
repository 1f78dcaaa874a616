import { ContractError } from "../../contract/errors.js";
import { readChoice } from "./choice.js";
import type { GroupReader } from "./field.js";
import { isLongEnough, readText } from "./text.js";

/**
 * Reads a song's mode, the text that the mode needs, and its style. A custom style overrides a preset.
 * @throws ContractError `bad_music_description` | `bad_music_lyrics` | `bad_music_style` with `allowed`
 */
export const readSong: GroupReader = (fieldOf) => {
  const mode = readChoice(fieldOf("mode"));
  const description = readText(fieldOf("description"));
  const lyrics = readText(fieldOf("lyrics"));
  const custom_style = readText(fieldOf("custom_style"));
  const style_preset_id = custom_style === undefined ? readChoice(fieldOf("style_preset_id")) : undefined;
  if (mode === "lyrics") {
    if (!isLongEnough(lyrics, fieldOf("lyrics"))) throw new ContractError("bad_music_lyrics");
    if (custom_style === undefined && style_preset_id === undefined) {
      throw new ContractError("bad_music_style", {
        allowed: fieldOf("style_preset_id").parameter?.values ?? [],
      });
    }
  } else if (!isLongEnough(description, fieldOf("description"))) {
    throw new ContractError("bad_music_description");
  }
  return { mode, description, lyrics, style_preset_id, custom_style };
};
