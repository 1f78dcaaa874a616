import type { GenerationType, Model, ParameterValue } from "../../../contract/model.js";
import { cleanText } from "../../texts/html.js";
import { type Draft, type DraftChange, type Drafts, modelOf, type SentPicture } from "../draft-store.js";
import { withAutoFormat } from "./auto-format.js";
import { withNewText, withParameters, withSetting } from "./change-model.js";
import {
  type FormField,
  fieldNamed,
  fieldsOf,
  type ModelFields,
  mainTextName,
  mainTextOf,
  type TextFault,
  textFault,
  waysOf,
  withMainText,
  withoutMainText,
} from "./fields.js";
import { allPictures, heldBack, picturesUsed, placePicture, withPictureReplaced } from "./picture-fields.js";
import { type LinkFault, type NumberFault, parseLinks, parseNumber } from "./typed-value.js";

export type MessageRefusal =
  | { kind: "empty" }
  | TextFault
  | NumberFault
  /** The card asks for pictures, and the text is not a link. */
  | { kind: "no_link"; name: string }
  /** The card shows a page of choices, and the text is none of them. */
  | { kind: "no_choice" }
  | LinkFault
  | { kind: "kind_off"; type: GenerationType }
  | { kind: "full"; max: number }
  /** The operator's rules refuse the words. */
  | { kind: "content" };

export type TakeOutcome =
  | { kind: "taken"; draft: Draft }
  | { kind: "refused"; refusal: MessageRefusal; draft: Draft }
  | { kind: "gone" };

type Verdict = DraftChange | { refusal: MessageRefusal };

/** A draft and the fields of its model. Without a model they are unknown. */
interface Form {
  draft: Draft;
  fields: ModelFields | undefined;
}

const TRIES = 5;

interface Given {
  messageId: number;
  /** True where a tap chose the message, which may be older than others that the draft is made of. */
  isTapped?: boolean | undefined;
  text?: string;
  /** Pictures in the format of `chatPicture`, or as links. */
  pictures?: readonly string[];
  /** The picture that the message itself shows. An edit of the message replaces it. */
  sent?: SentPicture;
  /** Width of the first picture divided by its height. */
  shape?: number | undefined;
  /** The question that the message answers. Undefined: the words are the description. */
  asked?: Asked | undefined;
  /** The choice that a text names on the page of a parameter. */
  value?: ParameterValue | undefined;
  /** Changes the draft to the listed model that a text names. */
  toModel?: ((draft: Draft, from: Model) => DraftChange) | undefined;
}

/** Changes a draft as `judge` says, which is asked again where the draft was changed meanwhile. */
async function changeDraft(
  drafts: Drafts,
  draftId: number,
  judge: (draft: Draft) => Verdict | "known",
): Promise<TakeOutcome> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const draft = drafts.find(draftId);
    if (draft?.state !== "composing") return { kind: "gone" };
    const verdict = judge(draft);
    if (verdict === "known") return { kind: "taken", draft };
    if ("refusal" in verdict) return { kind: "refused", refusal: verdict.refusal, draft };
    const changed = await drafts.change(draft, verdict);
    if (changed) return { kind: "taken", draft: changed };
  }
  return { kind: "gone" };
}

/** Applies a message to a draft. A message that was applied before changes nothing. */
export function takeMessage(drafts: Drafts, draftId: number, given: Given, models: readonly Model[]) {
  const { messageId, isTapped, sent } = given;
  return changeDraft(drafts, draftId, (draft) => {
    const newest = draft.takenMessageId ?? 0;
    if (isTapped ? messageId === draft.promptMessageId : messageId <= newest) return "known";
    const verdict = judge(draft, given, modelOf(draft, models));
    const pictureMessages = sent && withSent(draft, messageId, sent);
    return {
      ...verdict,
      ...(pictureMessages && { pictureMessages }),
      takenMessageId: Math.max(messageId, newest),
    };
  });
}

/** A message after an edit. */
export interface Edited {
  messageId: number;
  /** Its words, or its caption. */
  text: string;
  /** The picture that it shows now. Width divided by height, where it is known. */
  sent?: SentPicture & { shape: number | undefined };
}

/** Tells whether a card is made of a message. */
export function isMadeOf({ promptMessageId, pictureMessages }: Draft, messageId: number): boolean {
  return promptMessageId === messageId || pictureMessages[messageId] !== undefined;
}

/** Applies an edit of a message that brought the main text, a picture or both. */
export function takeEdit(drafts: Drafts, draftId: number, edited: Edited, models: readonly Model[]) {
  return changeDraft(drafts, draftId, (draft) => {
    const model = modelOf(draft, models);
    const form = { draft, fields: model && fieldsOf(model) };
    const pictured = pictureEdit(form, edited);
    if ("refusal" in pictured) return pictured;
    const worded = textEdit({ ...form, draft: { ...draft, ...pictured } }, edited);
    return "refusal" in worded ? worded : { ...pictured, ...worded };
  });
}

/** Puts the new picture in the place of the old one; a text that has become a picture adds it. */
function pictureEdit(form: Form, { messageId, sent }: Edited): Verdict {
  const { draft, fields } = form;
  const before = draft.pictureMessages[messageId];
  if (!sent || before?.uniqueId === sent.uniqueId) return {};
  const { shape, ...picture } = sent;
  const pictureMessages = withSent(draft, messageId, picture);
  if (!before) {
    const put = picturesInto(form, [picture.picture], shape);
    return "refusal" in put ? put : { ...put, pictureMessages };
  }
  // The person has taken the old picture off the card.
  if (!allPictures(draft.parameters).includes(before.picture)) return {};
  const isFirst = allPictures(draft.parameters)[0] === before.picture;
  const parameters = withPictureReplaced(draft.parameters, before.picture, picture.picture);
  return {
    pictureMessages,
    parameters: fields && isFirst ? withAutoFormat(fields, parameters, draft.chosen, shape) : parameters,
    view: fields ? { kind: "card" } : draft.view,
  };
}

/** A caption that is removed takes the main text along; one that is added becomes it where there is none. */
function textEdit(form: Form, { messageId, text, sent }: Edited): Verdict {
  const { draft, fields } = form;
  const words = cleanText(text);
  const isOwn = draft.promptMessageId === messageId;
  if (isOwn && sent && words === "")
    return { parameters: withoutMainText(draft.parameters, fields), promptMessageId: null };
  if (!isOwn && (words === "" || mainTextOf(draft.parameters, fields) !== undefined)) return {};
  return mainText(form, text, messageId);
}

/** Keeps what is still on the card, and adds a picture that a message shows. */
function withSent(draft: Draft, messageId: number, sent: SentPicture): Draft["pictureMessages"] {
  const shown = new Set(allPictures(draft.parameters));
  const kept = Object.entries(draft.pictureMessages).filter(([, { picture }]) => shown.has(picture));
  return { ...Object.fromEntries(kept), [messageId]: sent };
}

export function judge(draft: Draft, given: Given, model: Model | undefined): Verdict {
  const { text, pictures, messageId, shape } = given;
  const fields = model && fieldsOf(model);
  const put = (links: readonly string[]) => picturesInto({ draft, fields }, links, shape, given.asked);
  if (pictures) {
    const verdict = put(pictures);
    const words = cleanText(text ?? "");
    if ("refusal" in verdict || words === "") return verdict;
    // A caption is taken even when it is too long: the card then shows what is wrong.
    const parameters = withMainText(verdict.parameters ?? draft.parameters, fields, words);
    const isAnswered = draft.view.kind === "text";
    return {
      ...verdict,
      parameters,
      promptMessageId: messageId,
      ...(isAnswered && { view: { kind: "card" } }),
    };
  }
  if (text === undefined) return { refusal: { kind: "empty" } };
  const field = askedParameter(given.asked);
  const chosen = model && choiceIn(draft, given, text, model);
  if (chosen) return chosen;
  if (fields && field && field.kind !== "pictures") return parameterText(draft, text, field, fields);
  const found = parseLinks(text);
  if (found?.kind === "links") return put(found.links);
  if (found) return { refusal: found };
  if (field) return { refusal: { kind: "no_link", name: field.name } };
  const word = cleanText(text);
  const change = fields ? withNewText(draft, fields, word) : {};
  const verdict = mainText({ draft: { ...draft, ...change }, fields }, text, messageId);
  if ("refusal" in verdict) return verdict;
  const isAsked = given.asked?.kind === "text";
  if (isAsked || !isDoubtful(mainTextOf(draft.parameters, fields), word)) return { ...change, ...verdict };
  return { view: { kind: "replace", text: word, messageId } };
}

/** A description of more words than these is not replaced by a single word without asking. */
const SHORT_WORDS = 3;
const WORD_MAX = 60;

/** True for a single word that nobody asked for, beside a description of some length. */
function isDoubtful(before: string | undefined, word: string): boolean {
  if (before === undefined || /\s/.test(word) || word.length > WORD_MAX) return false;
  return before.split(/\s+/).length > SHORT_WORDS;
}

/** Takes a choice. Undefined when none is asked for, or the text may be a value of another kind. */
function choiceIn(draft: Draft, given: Given, text: string, model: Model): Verdict | undefined {
  const { asked, value, toModel } = given;
  const field = asked?.kind === "parameter" ? asked.field : undefined;
  const isOfModels = asked?.kind === "models";
  if (!isOfModels && (!field || field.kind === "text" || field.kind === "pictures")) return undefined;
  if (isOfModels && toModel) return toModel(draft, model);
  if (field && value !== undefined) return withSetting(draft, fieldsOf(model), field.name, value);
  return field?.kind === "number" || parseLinks(text) ? undefined : { refusal: { kind: "no_choice" } };
}

/** Returns the parameter that is asked for, if a message can set it. */
function askedParameter(asked: Asked | undefined): FormField | undefined {
  return asked?.kind === "parameter" && isWritten(asked.field) ? asked.field : undefined;
}

function mainText({ draft, fields }: Form, text: string, promptMessageId: number): Verdict {
  const words = cleanText(text);
  if (words === "") return { refusal: { kind: "empty" } };
  const name = fields && mainTextName(fields, draft.parameters);
  const fault = fields && name !== undefined ? textFault(words, fieldNamed(fields, name)) : undefined;
  if (fault) return { refusal: fault };
  const parameters = withMainText(draft.parameters, fields, words);
  return { parameters, promptMessageId, view: fields ? { kind: "card" } : draft.view };
}

function parameterText(draft: Draft, text: string, field: FormField, fields: ModelFields): Verdict {
  const { name } = field;
  const words = cleanText(text);
  if (words === "") return { refusal: { kind: "empty" } };
  if (field.kind === "number") {
    const read = parseNumber(words, field);
    return "kind" in read ? { refusal: read } : withSetting(draft, fields, name, read.value);
  }
  const fault = textFault(words, field);
  if (fault) return { refusal: fault };
  return withParameters(draft, fields, { ...draft.parameters, [name]: words });
}

/** Adds as many pictures as fit. Rejects when the first does not fit. */
function picturesInto(form: Form, pictures: readonly string[], shape?: number, question?: Asked): Verdict {
  const { draft, fields } = form;
  if (!fields) return { parameters: heldBack(draft.parameters, pictures) };
  const asked = askedParameter(question);
  let { parameters } = draft;
  for (const [index, picture] of pictures.entries()) {
    const placed = placePicture(fields, parameters, picture, asked?.name);
    if (placed.kind === "placed") ({ parameters } = placed);
    else if (index === 0) return { refusal: placed };
    else break;
  }
  const first = picturesUsed(fields, draft.parameters) === 0 ? shape : undefined;
  // A picture leaves a question for a text open.
  const isWayAsked = draft.view.kind === "text" && waysOf(fields).length > 0;
  const isWordAsked = isWayAsked || asked?.kind === "text" || asked?.kind === "number";
  const placed = withParameters(draft, fields, withAutoFormat(fields, parameters, draft.chosen, first));
  return { ...placed, ...(isWordAsked ? { view: draft.view, questionId: draft.questionId } : {}) };
}

/** What a card asks typed words for: its main text, the value of a parameter, or one of the listed models. */
export interface Asked {
  kind: "text" | "parameter" | "models";
  /** Undefined for the models, and for a text that the model does not take. */
  field: FormField | undefined;
}

/** True where a card may ask for typed words: what it shows, and in a group a message beside it. */
export function mayAsk({ view, questionId }: Pick<Draft, "view" | "questionId">): boolean {
  return questionId !== null || view.kind === "text" || view.kind === "models" || view.kind === "parameter";
}

/**
 * Tells what a card asks for. Undefined: words beside it are its description.
 * @param isTextAsked true where the main text is asked for, whatever the card shows
 */
export function askedOn(draft: Draft, model: Model | undefined, isTextAsked = false): Asked | undefined {
  if (!model) return undefined;
  const { view, questionId, parameters } = draft;
  const fields = fieldsOf(model);
  if (isTextAsked || view.kind === "text" || (view.kind === "card" && questionId !== null)) {
    const name = mainTextName(fields, parameters);
    return { kind: "text", field: name === undefined ? undefined : fieldNamed(fields, name) };
  }
  if (view.kind === "models") return { kind: "models", field: undefined };
  const field = view.kind === "parameter" ? fieldNamed(fields, view.name) : undefined;
  return field && { kind: "parameter", field };
}

/** True for a field whose value is typed or sent. Others have buttons only. */
export function isWritten(field: FormField | undefined): field is FormField {
  return field !== undefined && ["text", "number", "pictures"].includes(field.kind);
}
