import { FmVoice } from "./fm-voice.js";
import type { Patch } from "./patches.js";
import { PluckVoice } from "./pluck-voice.js";
import { TableVoice } from "./table-voice.js";
import type { Tone, Voice } from "./voice.js";

/** Starts a note of a patch. */
export function voiceOf(patch: Patch, tone: Tone): Voice {
  if (patch.kind === "table") return new TableVoice(patch, tone);
  return patch.kind === "pluck" ? new PluckVoice(patch, tone) : new FmVoice(patch, tone);
}
