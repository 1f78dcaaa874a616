import type { GenerationType, Model } from "../../../contract/model.js";
import type { CardMessages, Opening } from "../../card/card-messages.js";
import { refusalText, textWords, wordsFor, wrongLinkText } from "../../card/card-words.js";
import { type Composed, type Draft, type DraftChange, type Drafts, modelOf } from "../../card/draft-store.js";
import { askedOn, isWritten } from "../../card/form/apply-message.js";
import { offeredModels, toCard, toModel } from "../../card/form/change-model.js";
import { type FormField, fieldsOf } from "../../card/form/fields.js";
import { modelsForPicture, needsPicture } from "../../card/form/fitting-models.js";
import { heldBack, heldPictures } from "../../card/form/picture-fields.js";
import { parseLinks } from "../../card/form/typed-value.js";
import { parameterQuestion, saidSettings } from "../../card/parameter-names.js";
import type { BotContext, Customer } from "../../context.js";
import type { BotModules } from "../../modules.js";
import type { Person } from "../../people/people.js";
import {
  type ChatPlace,
  chatPlaceOf,
  inTopic,
  inTopicOrGroup,
  isInGroup,
  isPrivate,
} from "../../telegram/place.js";
import { alertOrReply, answerTap } from "../../telegram/tap-answers.js";
import { cleanText, escapeHtml } from "../../texts/html.js";

/** What a person gave before the card was opened. */
interface Beginning
  extends Pick<Opening, "type" | "text" | "messageId" | "view" | "chosen" | "pictureMessages"> {
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

/** Opens the card of a kind, and asks for the missing text. Words are judged before a price is shown. */
export async function openKind(ctx: BotContext, beginning: Beginning, bot: BotModules): Promise<void> {
  const { type, text = "", messageId = ctx.msgId } = beginning;
  if (!(await bot.moderation.allows([text], "chat")))
    return void (await ctx.reply(refusalText({ kind: "content" }, ctx.language)));
  const place = chatPlaceOf(ctx);
  if (!place || (await sayIfKindIsOff(ctx, type, bot.cards))) return;
  const opening = { ...withSaid(await openingOf(ctx, beginning, bot), bot), messageId };
  const [draft] = await Promise.all([openAt(place, ctx, opening, bot.cards), answerTap(ctx)]);
  await askOnCard(ctx, draft, opening.model, bot.drafts, opening.text === undefined);
}

/** Sets what a text consists of where it names settings alone, such as “/video vertical, 8 s”. */
function withSaid(opening: Opening, { texts }: BotModules): Opening {
  const { model, text, parameters = {}, chosen = [] } = opening;
  if (!model || text === undefined) return opening;
  const said = saidSettings(fieldsOf(model), text, texts.languages, model.type !== "music");
  const names = Object.keys(said);
  if (names.length === 0) return opening;
  return {
    ...opening,
    text: undefined,
    parameters: { ...parameters, ...said },
    chosen: [...chosen, ...names],
  };
}

/** Returns the card of a kind, with the model used last that fits the pictures, or else the first one. */
export async function openingOf(
  { person, gateway }: Customer,
  {
    type,
    text: said = "",
    pictures = [],
    settings = {},
    view = { kind: "card" },
    chosen = [],
    pictureMessages = {},
  }: Beginning,
  bot: BotModules,
): Promise<Opening> {
  const { cards, drafts } = bot;
  const models = await cards.models({ gateway }, type);
  const text = cleanText(said) || undefined;
  const held = pictures.length > 0 ? heldBack(settings, pictures) : settings;
  const offered = offeredModels(models);
  const fitting =
    heldPictures(held) > 0 ? modelsForPicture(offered, type) : offered.filter((one) => !needsPicture(one));
  const model = preferredModel(fitting.length > 0 ? fitting : offered, drafts.lastModels(person.id));
  if (!model) return { type, text };
  const begun = changeToModel(person, { parameters: held, chosen }, undefined, model, bot);
  return { type, model, parameters: begun.parameters ?? {}, view, chosen, pictureMessages, text };
}

/** Changes a card to a model, with what the person chose for it last. */
export function changeToModel(
  { id }: Pick<Person, "id">,
  draft: Composed,
  from: Model | undefined,
  to: Model,
  { drafts, shapes }: BotModules,
): DraftChange {
  const last = drafts.lastParameters(id, to.model_key);
  return toModel(draft, from, to, last, shapes.ofFirst(draft.parameters));
}

/** Returns the change that leaves the page which a card shows. */
export async function leavingPage(
  customer: Customer,
  draft: Draft,
  cards: CardMessages,
): Promise<DraftChange> {
  const model = modelOf(draft, await cards.models(customer, draft.type));
  return toCard(draft, model && fieldsOf(model));
}

/** Opens a card in the topic, or in the group itself when the topic is gone. */
export function openAt(place: ChatPlace, customer: Customer, opening: Opening, cards: CardMessages) {
  return inTopicOrGroup(place.threadId, ({ message_thread_id: threadId = null }) =>
    cards.open(customer, { ...place, threadId }, opening),
  );
}

/** Tells the person where a kind has no model. Returns false where it has one. */
export async function sayIfKindIsOff(ctx: BotContext, type: GenerationType, cards: CardMessages) {
  const models = await cards.allModels(ctx);
  if (models.some((model) => model.type === type)) return false;
  const { t } = ctx.language;
  await alertOrReply(ctx, models.length === 0 ? t("start-nothing") : t("kind-off", { type }));
  return true;
}

/** Returns the model that the person paid for last, else the first one. */
export function preferredModel(models: readonly Model[], lastUsed: readonly string[]): Model | undefined {
  const used = lastUsed.map((key) => models.find(({ model_key }) => model_key === key));
  return used.find(Boolean) ?? models[0];
}

/**
 * Asks for what has to be typed: by default for what the card shows. A question of a feature ends, as one is open at a
 * time. In a private chat the card itself is the question; in a group, where only replies are sure to reach the bot, it
 * is a message beside the card, sent once.
 */
export async function askOnCard(
  ctx: BotContext,
  draft: Draft,
  model: Model | undefined,
  drafts: Drafts,
  isTextAsked?: boolean,
): Promise<void> {
  const asked = askedOn(draft, model, isTextAsked);
  if (!asked) return;
  await ctx.conversation.exitAll();
  if (!isInGroup(draft) || draft.questionId !== null) return;
  const { field } = asked;
  if (!isWritten(field)) return;
  const { language } = ctx;
  const { type, parameters } = draft;
  const question =
    asked.kind === "text"
      ? textWords("ask", field.name, type, parameters, heldPictures(parameters), language)
      : `${parameterQuestion(field.name, language)} ${wordsFor(field, language)}`;
  const how = language.t(draft.view.kind === "card" ? "ask-by-reply" : "ask-by-reply-or-back");
  const { message_id } = await ctx.reply(`${address(ctx)}${question} ${how}`, {
    ...inTopic(draft),
    parse_mode: "HTML",
    reply_markup: { force_reply: true, selective: true },
  });
  await drafts.setQuestion(draft, message_id);
}

/** Says what is wrong with an answer. In a group it asks again: see `askOnCard`. */
export async function askAgain(ctx: BotContext, words: string, field: FormField | undefined): Promise<void> {
  const { t } = ctx.language;
  if (isPrivate(ctx)) return void (await ctx.reply(field ? `${words} ${t("page-back")}` : words));
  await ctx.reply(`${address(ctx)}${escapeHtml(words)} ${t("ask-by-reply")}`, {
    parse_mode: "HTML",
    reply_markup: { force_reply: true, selective: true },
  });
}

/** True for a reply to a message of the bot that addresses the sender. Older questions count too. */
export function isAnswerToQuestion({ message, me, person }: BotContext): boolean {
  const asked = message?.reply_to_message;
  if (asked?.from?.id !== me.id) return false;
  return asked.entities?.some((part) => part.type === "text_mention" && part.user.id === person.id) ?? false;
}

function address(ctx: BotContext): string {
  if (isPrivate(ctx)) return "";
  return `<a href="tg://user?id=${ctx.person.id}">${escapeHtml(ctx.person.name)}</a>: `;
}
