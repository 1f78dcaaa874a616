import { Composer, type Filter, InlineKeyboard, type NextFunction } from "grammy";
import { Unavailable } from "../../contract/errors.js";
import { GENERATION_TYPES, type Model } from "../../contract/model.js";
import { lowestPriceKopecks } from "../../contract/price.js";
import { HOUR_MS, MINUTE_MS } from "../../platform/units.js";
import { NOT_CONNECTED } from "../../ports/gateway.js";
import { modelOf } from "../card/draft-store.js";
import { withParameters } from "../card/form/change-model.js";
import { formOf } from "../card/form/evaluate-form.js";
import { fieldsOf, isVerse, mainTextOf } from "../card/form/fields.js";
import { heldPictures } from "../card/form/picture-fields.js";
import { saidSettings, typedModel } from "../card/parameter-names.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { type BotModules, isManaged } from "../modules.js";
import { orderData, resultActions, resultKeyboard } from "../orders/delivery/result-keyboard.js";
import { isSameResult, type LastResult } from "../orders/order-store.js";
import { asCommand, chatPlaceOf, isPrivate, replyTo, withoutMention } from "../telegram/place.js";
import { cleanText } from "../texts/html.js";
import type { Intent, IntentContext } from "../texts/read-intent.js";
import { BACK } from "./cancel.js";
import {
  askOnCard,
  changeToModel,
  isAnswerToQuestion,
  leavingPage,
  openAt,
  openKind,
} from "./compose/open-kind.js";
import { changeButton, openChange, repliedPicture } from "./compose/replies.js";
import { addedTo } from "./compose/text.js";
import { helpTap } from "./help.js";
import { composeAgain } from "./results.js";
import { askKeyboard, passButton } from "./support/support-store.js";
import { meantButton } from "./unhandled.js";

type TextContext = Filter<BotContext, "message:text">;
type IntentOf<Kind extends Intent["kind"]> = Extract<Intent, { kind: Kind }>;

/** How long words may be about the last result, and about an answer of support. */
const RESULT_MS = 15 * MINUTE_MS;
const ANSWER_MS = HOUR_MS;

const MAY_NAME_A_MODEL: ReadonlySet<Intent["kind"]> = new Set(["describe", "unsure"]);

/** Reads what a text wants. One that reads as a description goes on to the features that open a card. */
export function talkFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  composer.on("message:text", async (ctx, next) => {
    const words = addressedWords(ctx, bot);
    if (words === "") return next();
    const { last, context } = situationOf(ctx, words, bot);
    const read = await bot.readIntent(words, context);
    // A service elsewhere is asked for its models only about what nothing else explains.
    const mayName = MAY_NAME_A_MODEL.has(read.kind);
    const isWordless = read.kind === "talk" && read.about === "wordless";
    const maySet = context.card !== undefined && (mayName || isWordless || read.kind === "add");
    const models = mayName || maySet ? await modelsNamed(ctx, words, bot) : [];
    if (maySet && (await choose(ctx, words, models, bot))) return;
    const model = mayName ? typedModel(models, words) : undefined;
    const intent = model ? await bot.readIntent(words, { ...context, isModel: true }) : read;
    // People of a group speak about a result in replies to it.
    const isModels = intent.kind === "command" && intent.name === "models";
    const isTalk = !isModels && !["describe", "edit", "animate", "more"].includes(intent.kind);
    if (isTalk && isAboutResult(ctx, bot)) return;
    await follow(ctx, intent, { words, last, model, context, next }, bot);
  });
  return { composer };
}

/** Returns the words said to the bot. Empty for commands, the rest of a long text, and what others are told. */
function addressedWords(ctx: TextContext, bot: BotModules): string {
  const { text } = ctx.message;
  if (text.startsWith("/") || ctx.longText) return "";
  if (isPrivate(ctx)) return cleanText(text);
  const named = withoutMention(text, ctx.me.username);
  if (named !== undefined) return cleanText(named);
  const replied = ctx.message.reply_to_message?.message_id;
  const card = bot.drafts.composing(ctx.person.id, ctx.chatId);
  const isToCard = card !== undefined && (isAnswerToQuestion(ctx) || card.messageId === replied);
  return isToCard || isAboutResult(ctx, bot) ? cleanText(text) : "";
}

/** True in a group for a reply to a result of the sender that does not mention the bot. */
function isAboutResult(ctx: TextContext, { orders }: BotModules): boolean {
  if (isPrivate(ctx) || withoutMention(ctx.message.text, ctx.me.username) !== undefined) return false;
  return repliedPicture(ctx, orders)?.isOwnResult === true;
}

function situationOf(ctx: TextContext, words: string, bot: BotModules) {
  const { clock, drafts, orders, support } = bot;
  const { person, chatId } = ctx;
  const now = clock.now();
  const card = drafts.composing(person.id, chatId);
  const isReply = repliedPicture(ctx, orders) !== undefined && !isAboutResult(ctx, bot);
  // A reply to another picture is not about the last one.
  const newest = isReply ? undefined : orders.lastResult(person.id, chatId, now - RESULT_MS);
  const last = repliedResult(ctx, bot) ?? newest;
  const context: IntentContext = {
    last: last?.order.request.type,
    card: card && {
      hasText: mainTextOf(card.parameters, undefined) !== undefined,
      hasPictures: heldPictures(card.parameters) > 0,
      maySing: card.type === "music" && isVerse(words),
    },
    isReply,
    isAnswered: isPrivate(ctx) && support?.store.hasAnswered(person.id, now - ANSWER_MS) === true,
  };
  return { last, context };
}

/** Finds the result of the sender that the message replies to. */
function repliedResult({ message, person }: TextContext, { orders }: BotModules): LastResult | undefined {
  const replied = message.reply_to_message;
  const result = replied && orders.resultIn(replied.chat.id, replied.message_id);
  const order = result && orders.find(result.orderId);
  if (!result || order?.userId !== person.id) return undefined;
  const file = orders.findDelivery(order.id)?.files.find((one) => isSameResult(one, result));
  return file && { order, file };
}

/** The most words that name a model or settings. */
const NAMING_WORDS_MAX = 6;

/** Returns the models that words may name, or settings of. */
async function modelsNamed(ctx: BotContext, words: string, { cards }: BotModules): Promise<readonly Model[]> {
  if (words.split(/\s/).length > NAMING_WORDS_MAX || ctx.gateway === NOT_CONNECTED) return [];
  try {
    return await cards.allModels(ctx);
  } catch (error) {
    if (error instanceof Unavailable) return [];
    throw error;
  }
}

/** Sets what words name of the open card. Returns false for words that say anything else. */
async function choose(ctx: TextContext, words: string, models: readonly Model[], bot: BotModules) {
  const { drafts, cards, orders } = bot;
  const open = drafts.composing(ctx.person.id, ctx.chatId);
  const model = open && modelOf(open, models);
  if (!model || repliedPicture(ctx, orders)) return false;
  const fields = fieldsOf(model);
  const mayDescribe = open.type !== "music" && mainTextOf(open.parameters, fields) === undefined;
  const settings = saidSettings(fields, words, bot.texts.languages, mayDescribe);
  if (Object.keys(settings).length === 0) return false;
  const change = withParameters(open, fields, { ...open.parameters, ...settings });
  const chosen = [...new Set([...open.chosen, ...Object.keys(settings)])];
  const changed = await drafts.change(open, { ...change, chosen, questionId: open.questionId });
  if (changed) await cards.repost(changed, ctx);
  return true;
}

async function follow(
  ctx: TextContext,
  intent: Intent,
  {
    words,
    last,
    model,
    context,
    next,
  }: ReturnType<typeof situationOf> & { words: string; model: Model | undefined; next: NextFunction },
  bot: BotModules,
): Promise<void> {
  switch (intent.kind) {
    case "describe":
      return begin(ctx, intent, { isReply: context.isReply === true, next }, bot);
    case "edit":
      return context.isReply || !last ? next() : openChange(ctx, last, { text: words }, bot);
    case "add":
      ctx.message.text = addedTo(bot.drafts.composing(ctx.person.id, ctx.chatId), words);
      return next();
    case "more":
    case "animate":
      return last ? offer(ctx, intent.kind, last, bot) : askWhatItIs(ctx, undefined, bot);
    case "model":
      return model && chooseModel(ctx, model, bot);
    case "command":
      if (intent.name === "models") return showModels(ctx, last, bot);
      return goOnAs(ctx, commandOf(intent, bot), intent.name === "back" ? BACK : intent.argument, next);
    case "support":
      // A group must not see what is wrong.
      return isPrivate(ctx) || !isManaged(bot) ? askSupport(ctx, bot) : goOnAs(ctx, "support", "", next);
    case "unsure":
      return askWhatItIs(ctx, context.card ? undefined : last, bot, context.card?.hasText);
    case "talk":
      return answer(ctx, intent.about, last, bot);
  }
}

/** Begins a card. A request for the kind of the open card is its description, so that photos and settings stay. */
async function begin(
  ctx: TextContext,
  { type, text }: IntentOf<"describe">,
  { isReply, next }: { isReply: boolean; next: NextFunction },
  { drafts, cards }: BotModules,
): Promise<void> {
  if (type === undefined) return next();
  const open = drafts.composing(ctx.person.id, ctx.chatId);
  if (!isPrivate(ctx) || isReply || open?.type !== type) return goOnAs(ctx, type, text, next);
  if (text === "") return cards.repost(open, ctx);
  ctx.message.text = text;
  await next();
}

async function goOnAs(ctx: TextContext, name: string, text: string, next: NextFunction): Promise<void> {
  asCommand(ctx, name, text);
  await next();
}

/** Returns the command that the words stand for. One that there is not here is answered by another. */
function commandOf({ name }: IntentOf<"command">, bot: BotModules): string {
  if (name === "top-up") return bot.topUps.isOn ? "topup" : "balance";
  if (name === "cancel-order" || name === "back") return "cancel";
  if (name === "promo") return isManaged(bot) ? name : "help";
  if (name === "invite") return isManaged(bot) && bot.accounts.invites ? name : "help";
  return name;
}

/** Offers what the buttons under the last result do: a tap, not the words, orders or opens a card. */
async function offer(
  ctx: TextContext,
  kind: "more" | "animate",
  { order, file }: LastResult,
  bot: BotModules,
): Promise<void> {
  const { t } = ctx.language;
  if (isManaged(bot) && bot.accounts.users.banOf(ctx.person.id))
    return void (await ctx.reply(t("refused-account_banned")));
  const models = await bot.cards.allModels(ctx);
  const { another, canAnimate } = resultActions(order, models);
  if (kind === "more" ? !another : !canAnimate) return void (await ctx.reply(t("again-model-gone")));
  const taken = bot.orders.takesOf(order.id)?.taken;
  const made = { action: "picture", orderId: order.id, made: "animate" } as const;
  const reply_markup =
    kind === "more"
      ? resultKeyboard(order, { kind: "nothing" }, { another }, ctx.language, taken)
      : new InlineKeyboard().text(t("button-animate"), orderData.encode(made));
  await ctx.reply(t(`talk-${kind}`), { reply_markup, ...replyTo(file.messageId) });
}

/** Changes the open card to a model, or opens a card of it. */
async function chooseModel(ctx: TextContext, model: Model, bot: BotModules): Promise<void> {
  const { cards, drafts } = bot;
  const open = drafts.composing(ctx.person.id, ctx.chatId);
  if (open?.type === model.type) {
    const from = modelOf(open, await cards.models(ctx, open.type));
    const changed = await drafts.change(open, changeToModel(ctx.person, open, from, model, bot));
    return changed && cards.repost(changed, ctx);
  }
  const place = chatPlaceOf(ctx);
  if (!place) return;
  const begun = changeToModel(ctx.person, { parameters: {}, chosen: [] }, undefined, model, bot);
  const { parameters = {}, chosen = [] } = begun;
  const messageId = ctx.msgId;
  const draft = await openAt(place, ctx, { type: model.type, model, parameters, chosen, messageId }, cards);
  await askOnCard(ctx, draft, model, drafts, true);
}

/** Shows the models for the open card, for what was made last, or for a new picture. */
async function showModels(ctx: TextContext, last: LastResult | undefined, bot: BotModules): Promise<void> {
  const { cards, drafts } = bot;
  const view = { kind: "models", page: 0 } as const;
  const open = drafts.composing(ctx.person.id, ctx.chatId);
  if (!open && last) return composeAgain(ctx, last.order, view, bot);
  if (!open) return openKind(ctx, { type: "image", view }, bot);
  const changed = await drafts.change(open, { ...(await leavingPage(ctx, open, cards)), view });
  if (changed) await cards.repost(changed, ctx);
}

/** Asks whether words are for support, which they reach with a tap. Where it is elsewhere, they are told where. */
export async function askSupport(ctx: Filter<BotContext, "message">, bot: BotModules): Promise<void> {
  const { t } = ctx.language;
  const isUnderWay = bot.orders.isUnderWay(ctx.person.id, ctx.chatId);
  const asked = bot.support?.isOpen() ? t("talk-to-support") : operatorText(ctx, bot);
  const text = [...(isUnderWay ? [t("talk-under-way")] : []), asked].join("\n\n");
  const keyboard = new InlineKeyboard();
  // A picture has no words that the button would draw.
  if (ctx.message.text !== undefined) keyboard.add(drawButton(ctx, bot));
  if (bot.support?.isOpen()) keyboard.add(passButton(ctx.language));
  if (ctx.message.text !== undefined) keyboard.row();
  keyboard.add(meantButton("nothing", "✖️"));
  await ctx.reply(text, { reply_markup: keyboard, ...replyTo(ctx.msgId) });
}

/**
 * Asks whether words are a description, or about the last result. They open their card with a tap.
 * @param hasText true where they may say more of what the open card describes
 */
async function askWhatItIs(
  ctx: TextContext,
  last: LastResult | undefined,
  bot: BotModules,
  hasText = false,
): Promise<void> {
  const { t } = ctx.language;
  const isOpen = isPrivate(ctx) && bot.support?.isOpen();
  const other = isOpen
    ? passButton(ctx.language)
    : InlineKeyboard.text(t("button-help"), helpTap.encode({ action: "show" }));
  const draw = drawButton(ctx, bot);
  const keyboard = hasText
    ? new InlineKeyboard([[meantButton("add", t("button-add")), other], [draw]])
    : new InlineKeyboard([[draw, other]]).row();
  const type = last?.order.request.type;
  if (last && type === "image")
    keyboard.add(changeButton(t("button-edit-last"), { order: last.order, index: last.file.index }));
  else if (type) keyboard.add(meantButton(type, t(`button-type-${type}`)));
  keyboard.add(meantButton("nothing", "✖️"));
  await ctx.reply(t("talk-unsure"), { reply_markup: keyboard, ...replyTo(ctx.msgId) });
}

function drawButton(ctx: BotContext, { drafts }: BotModules) {
  const type = drafts.composing(ctx.person.id, ctx.chatId)?.type ?? "image";
  return meantButton(type, ctx.language.t(type === "image" ? "button-draw" : `button-type-${type}`));
}

async function answer(
  ctx: TextContext,
  about: IntentOf<"talk">["about"],
  last: LastResult | undefined,
  bot: BotModules,
): Promise<void> {
  const { t } = ctx.language;
  if (about === "operator" && bot.support?.isOpen()) {
    const reply_markup = askKeyboard("button-support-private", "question", ctx.language);
    return void (await ctx.reply(t("talk-operator-support"), { reply_markup }));
  }
  await ctx.reply(await answerTo(ctx, about, last, bot));
}

async function answerTo(
  ctx: TextContext,
  about: IntentOf<"talk">["about"],
  last: LastResult | undefined,
  bot: BotModules,
): Promise<string> {
  const { t, money } = ctx.language;
  const { drafts, cards } = bot;
  if (about === "thanks") return t("talk-thanks");
  if (about === "operator") return operatorText(ctx, bot);
  const draft = drafts.composing(ctx.person.id, ctx.chatId);
  if (about !== "price") {
    const isOfPicture = about === "no" && last?.order.request.type === "image" && isPrivate(ctx);
    if (!draft && isOfPicture) return t("talk-what-to-change");
    if (!draft || about === "wordless") return t("talk-describe");
    if (draft.view.kind === "replace") return t("choose-by-tap");
    if (about === "no") return t("talk-other");
  }
  const payable = draft && formOf(draft, await cards.models(ctx, draft.type))?.payable;
  // What they ask the price of may be another kind than the card's.
  if (about === "price")
    return [
      ...(payable === undefined ? [] : [t("talk-price-card", { price: money(payable) })]),
      await priceText(ctx, bot),
    ].join("\n\n");
  return t(payable === undefined ? "talk-describe" : "talk-confirm");
}

function operatorText({ language: { t } }: BotContext, { supportContact: contact }: BotModules): string {
  return contact ? t("talk-operator", { contact }) : t("talk-operator-nobody");
}

async function priceText(ctx: TextContext, { cards }: BotModules): Promise<string> {
  const { t, money } = ctx.language;
  const kinds = await Promise.all(
    GENERATION_TYPES.map(async (type) => {
      const models = await cards.models(ctx, type);
      const prices = models.map(lowestPriceKopecks).filter((price) => price !== undefined);
      const kind = t(`button-type-${type}`);
      return prices.length === 0 ? [] : [t("talk-price-kind", { kind, price: money(Math.min(...prices)) })];
    }),
  );
  return [t("talk-price"), ...kinds.flat()].join("\n");
}
