import type { Model } from "../../contract/model.js";
import { cleanText, codePoints } from "../html.js";
import type { Draft } from "./draft.js";
import type { Drafts } from "./drafts.js";

/** What became of a text that was meant as a prompt. */
export type PromptOutcome =
  | { kind: "taken"; draft: Draft }
  | { kind: "empty" }
  | { kind: "too_long"; max: number }
  /** The draft was ordered or cancelled meanwhile. */
  | { kind: "gone" };

/** Taps may change the draft at the same moment; the text counts all the same. */
const TRIES = 5;

/** Puts a text into a draft as its prompt, replacing an earlier one. */
export async function takePrompt(
  drafts: Drafts,
  draftId: number,
  text: string,
  messageId: number,
  models: readonly Model[],
): Promise<PromptOutcome> {
  const prompt = cleanText(text);
  if (prompt === "") return { kind: "empty" };
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const draft = drafts.find(draftId);
    if (draft?.state !== "composing") return { kind: "gone" };
    const max = models.find(({ model_key }) => model_key === draft.modelKey)?.parameters.prompt?.max;
    if (max !== undefined && codePoints(prompt) > max) return { kind: "too_long", max };
    // The same message handled again after a crash: a tap on the card that it made must still count.
    if (draft.prompt === prompt && draft.promptMessageId === messageId) return { kind: "taken", draft };
    const view = draft.modelKey === null ? draft.view : ({ kind: "card" } as const);
    const changed = await drafts.change(draft, { prompt, promptMessageId: messageId, view });
    if (changed) return { kind: "taken", draft: changed };
  }
  return { kind: "gone" };
}
