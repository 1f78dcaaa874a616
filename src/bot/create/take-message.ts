import type { Model } from "../../contract/model.js";
import { cleanText } from "../html.js";
import { withParameters } from "./change-model.js";
import type { Draft } from "./draft.js";
import type { DraftChange, Drafts } from "./drafts.js";
import { type Control, controlNamed, type NumberControl, type Parameters } from "./form.js";
import { type LinkFault, readLinks } from "./links.js";
import { type Need, textNeed } from "./needs.js";
import { parseNumber } from "./parse-number.js";
import { placePicture } from "./picture-slots.js";
import { mainTextName } from "./relevance.js";

/** Why a message changed nothing. */
export type Refusal =
  /** Nothing in it that a person would see. */
  | { kind: "empty" }
  | Extract<Need, { kind: "too_short" | "too_long" }>
  | { kind: "no_number"; control: NumberControl }
  /** The card asks for pictures, and this is no link to one. */
  | { kind: "no_link"; name: string }
  | LinkFault
  | { kind: "no_pictures" }
  | { kind: "full"; max: number };

/** What became of a message that was meant for a draft. */
export type TakeOutcome =
  | { kind: "taken"; draft: Draft }
  | { kind: "refused"; refusal: Refusal; draft: Draft }
  /** The draft was ordered or cancelled meanwhile. */
  | { kind: "gone" };

export type Verdict = DraftChange | { refusal: Refusal };

/** Taps may change the draft at the same moment; the message counts all the same. */
const TRIES = 5;

/** What a message brings to a draft. */
export interface Given {
  messageId: number;
  text?: string;
  /** Pictures, as `chatPicture` writes them. */
  pictures?: readonly string[];
}

/**
 * Puts a message into a draft: its text where the card asks for one, else as the main text; links and pictures
 * among the pictures. A message that was taken before changes nothing.
 */
export async function takeMessage(
  drafts: Drafts,
  draftId: number,
  given: Given,
  models: readonly Model[],
): Promise<TakeOutcome> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const draft = drafts.find(draftId);
    if (draft?.state !== "composing") return { kind: "gone" };
    if (given.messageId <= (draft.takenMessageId ?? 0)) return { kind: "taken", draft };
    const verdict = judge(draft, given, modelOf(draft, models));
    if ("refusal" in verdict) return { kind: "refused", refusal: verdict.refusal, draft };
    const changed = await drafts.change(draft, { ...verdict, takenMessageId: given.messageId });
    if (changed) return { kind: "taken", draft: changed };
  }
  return { kind: "gone" };
}

/** Puts the new words of a message into the draft whose main text came with it. */
export async function takeEdit(
  drafts: Drafts,
  draft: Draft,
  text: string,
  models: readonly Model[],
): Promise<TakeOutcome> {
  const verdict = mainText(draft, text, modelOf(draft, models), draft.promptMessageId);
  if ("refusal" in verdict) return { kind: "refused", refusal: verdict.refusal, draft };
  const changed = await drafts.change(draft, verdict);
  return changed ? { kind: "taken", draft: changed } : { kind: "gone" };
}

export function modelOf(draft: Draft, models: readonly Model[]): Model | undefined {
  return models.find(({ model_key }) => model_key === draft.modelKey);
}

/** What a message changes in a draft, or why it changes nothing. */
export function judge(draft: Draft, given: Given, model: Model | undefined): Verdict {
  const { text, pictures, messageId } = given;
  if (pictures) return withCaption(picturesInto(draft, pictures, model), text, messageId);
  if (text === undefined) return { refusal: { kind: "empty" } };
  const control = model && askedControl(draft, model);
  if (model && control && control.kind !== "pictures") return parameterText(draft, text, control, model);
  const found = readLinks(text);
  if (found?.kind === "links") return picturesInto(draft, found.links, model);
  if (found) return { refusal: found };
  return control
    ? { refusal: { kind: "no_link", name: control.name } }
    : mainText(draft, text, model, messageId);
}

/** The parameter that the card asks for, where a message can set it. */
export function askedControl(draft: Draft, model: Model): Control | undefined {
  if (draft.view.kind !== "parameter") return undefined;
  const control = controlNamed(model, draft.view.name);
  return control && ["text", "number", "pictures"].includes(control.kind) ? control : undefined;
}

function mainText(
  draft: Draft,
  text: string,
  model: Model | undefined,
  promptMessageId: number | null,
): Verdict {
  const prompt = cleanText(text);
  if (prompt === "") return { refusal: { kind: "empty" } };
  const name = model && mainTextName(model, draft.parameters);
  const need = model && name !== undefined ? textNeed(prompt, name, true, model) : undefined;
  if (need && need.kind !== "text") return { refusal: need };
  return { prompt, promptMessageId, view: model ? { kind: "card" } : draft.view };
}

function parameterText(draft: Draft, text: string, control: Control, model: Model): Verdict {
  const { name } = control;
  const words = cleanText(text);
  if (words === "") return { refusal: { kind: "empty" } };
  if (control.kind === "number") {
    const value = parseNumber(words, control);
    if (value === undefined) return { refusal: { kind: "no_number", control } };
    return withParameters(draft, model, { ...draft.parameters, [name]: value });
  }
  const need = textNeed(words, name, true, model);
  if (need && need.kind !== "text") return { refusal: need };
  return withParameters(draft, model, { ...draft.parameters, [name]: words });
}

/** A text that comes with a picture is the main text, whether it fits or not: the card says what is wrong. */
function withCaption(verdict: Verdict, text: string | undefined, messageId: number): Verdict {
  const prompt = cleanText(text ?? "");
  return "refusal" in verdict || prompt === "" ? verdict : { ...verdict, prompt, promptMessageId: messageId };
}

/** As many of the pictures as there is room for; refused when there is none for the first. */
function picturesInto(draft: Draft, pictures: readonly string[], model: Model | undefined): Verdict {
  // Until there is a model nobody knows where they belong: choosing one finds places for them.
  if (!model) return { parameters: heldBack(draft.parameters, pictures) };
  const asked = askedControl(draft, model)?.name;
  let { parameters } = draft;
  for (const [index, picture] of pictures.entries()) {
    const placed = placePicture(model, parameters, picture, asked);
    if (placed.kind === "placed") ({ parameters } = placed);
    else if (index === 0) return { refusal: placed };
    else break;
  }
  return withParameters(draft, model, parameters);
}

const HELD_BACK = "reference_urls";
const HELD_BACK_MAX = 20;

export function heldBack(parameters: Parameters, pictures: readonly string[]): Parameters {
  const held = parameters[HELD_BACK];
  const all = [...(Array.isArray(held) ? (held as readonly string[]) : []), ...pictures];
  return { ...parameters, [HELD_BACK]: [...new Set(all)].slice(0, HELD_BACK_MAX) };
}
