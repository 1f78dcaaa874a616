import { GENERATION_TYPES, type GenerationType, type Model } from "../../../contract/model.js";
import type { CardMessages, Opening } from "../../card/card-messages.js";
import { refusalText, wrongLinkText } from "../../card/card-words.js";
import type { Draft, DraftChange } from "../../card/draft-store.js";
import { offeredModels, toModel } from "../../card/form/change-model.js";
import { heldBack, heldPictures } from "../../card/form/picture-fields.js";
import { modelsForPicture, needsPicture } from "../../card/form/picture-models.js";
import { parseLinks } from "../../card/form/typed-value.js";
import type { BotContext, Customer } from "../../context.js";
import type { BotModules } from "../../modules.js";
import type { Person } from "../../people/people.js";
import { type ChatPlace, chatPlaceOf, inTopicOrGroup } from "../../telegram/place.js";
import { alertOrReply, answerTap } from "../../telegram/tap-answers.js";
import { cleanText } from "../../texts/html.js";
import { askOnCard } from "./card-question.js";

/** What a person gave before the card was opened. */
interface Beginning extends Pick<Opening, "type" | "messageId" | "chosen" | "pictureMessages"> {
  text?: string;
  /** Pictures as links or in the format of `chatPicture`. */
  pictures?: readonly string[];
  settings?: Draft["parameters"];
}

/** Begins an image: links in the text become its pictures, any other text its prompt. */
export async function beginImage(ctx: BotContext, text: string, bot: BotModules): Promise<void> {
  const found = parseLinks(text);
  const wrong = await bot.links.wrongLinkIn(text);
  if (wrong !== undefined) return void (await ctx.reply(wrongLinkText(wrong, ctx.language)));
  if (found && found.kind !== "links") return void (await ctx.reply(refusalText(found, ctx.language)));
  if (cleanText(text) === "") return void (await ctx.reply(ctx.language.t("prompt-empty")));
  await openKind(ctx, { type: "image", ...(found ? { pictures: found.links } : { text }) }, bot);
}

/** Opens the card of a kind, and asks for the missing text. */
export async function openKind(ctx: BotContext, beginning: Beginning, bot: BotModules): Promise<void> {
  if (!(await areWordsAllowed(beginning.text, bot)))
    return void (await ctx.reply(refusalText({ kind: "content" }, ctx.language)));
  const messageId = beginning.messageId ?? ctx.msgId;
  const opening = await openingOf(ctx, beginning, bot);
  const draft = await openCard(ctx, { ...opening, ...(messageId !== undefined && { messageId }) }, bot.cards);
  if (draft) await askOnCard(ctx, draft, opening.model, bot.drafts, opening.text === undefined);
}

/** Returns the card of a kind, with the model used last that fits the pictures, or else the first one. */
export async function openingOf(
  { person, gateway }: Customer,
  { type, text = "", pictures = [], settings = {}, chosen = [], pictureMessages = {} }: Beginning,
  bot: BotModules,
): Promise<Opening> {
  const { cards, drafts } = bot;
  const models = await cards.models({ gateway }, type);
  const cleaned = cleanText(text);
  const words = cleaned === "" ? {} : { text: cleaned };
  const held = pictures.length > 0 ? heldBack(settings, pictures) : settings;
  const hasPictures = heldPictures(held) > 0;
  const model = fittingModel(models, type, hasPictures, drafts.lastModels(person.id));
  if (!model) return { type, ...words };
  const begun = changeToModel(person, { parameters: held, chosen }, undefined, model, bot);
  return { type, model, parameters: begun.parameters ?? {}, chosen, pictureMessages, ...words };
}

/** Changes a card to a model, with what the person chose for it last. */
export function changeToModel(
  { id }: Pick<Person, "id">,
  draft: Pick<Draft, "parameters" | "chosen">,
  from: Model | undefined,
  to: Model,
  { drafts, shapes }: BotModules,
): DraftChange {
  const last = drafts.lastParameters(id, to.model_key);
  return toModel(draft, from, to, last, shapes.ofFirst(draft.parameters));
}

function fittingModel(
  known: readonly Model[],
  type: GenerationType,
  hasPictures: boolean,
  lastUsed: readonly string[],
): Model | undefined {
  const models = offeredModels(known);
  const fitting = hasPictures
    ? modelsForPicture(models, type)
    : models.filter((model) => !needsPicture(model));
  return preferredModel(fitting.length > 0 ? fitting : models, lastUsed);
}

/** Opens a card. Undefined, after a message about it, when the kind has no model. */
async function openCard(ctx: BotContext, opening: Opening, cards: CardMessages): Promise<Draft | undefined> {
  const place = chatPlaceOf(ctx);
  if (!place) return undefined;
  if (await isKindOff(ctx, opening.type, cards)) return void (await sayKindIsOff(ctx, opening.type, cards));
  const [draft] = await Promise.all([openAt(place, ctx, opening, cards), answerTap(ctx)]);
  return draft;
}

/** Opens a card in the topic, or in the group itself when the topic is gone. */
export function openAt(place: ChatPlace, customer: Customer, opening: Opening, cards: CardMessages) {
  return inTopicOrGroup(place.threadId, ({ message_thread_id: threadId = null }) =>
    cards.open(customer, { ...place, threadId }, opening),
  );
}

export async function isKindOff(
  customer: Customer,
  type: GenerationType,
  cards: CardMessages,
): Promise<boolean> {
  return (await cards.models(customer, type)).length === 0;
}

export async function sayKindIsOff(
  ctx: BotContext,
  type: GenerationType,
  cards: CardMessages,
): Promise<void> {
  const areOff = await Promise.all(GENERATION_TYPES.map((one) => isKindOff(ctx, one, cards)));
  const isNothingOn = areOff.every(Boolean);
  const { t } = ctx.language;
  return alertOrReply(ctx, isNothingOn ? t("start-nothing") : t("kind-off", { type }));
}

/** Returns the model that the person paid for last, else the first one. */
export function preferredModel(models: readonly Model[], lastUsed: readonly string[]): Model | undefined {
  const used = lastUsed.map((key) => models.find(({ model_key }) => model_key === key));
  return used.find(Boolean) ?? models[0];
}

/** Judges words as they are sent, before a price is shown. Nothing of refused ones is kept. */
export async function areWordsAllowed(
  words: string | undefined,
  { moderation }: BotModules,
): Promise<boolean> {
  return words === undefined || (await moderation.allows([words], "chat"));
}
