import { Composer, type Filter, type NextFunction } from "grammy";
import { GENERATION_TYPES } from "../../contract/model.js";
import { lowestPriceKopecks } from "../../contract/price.js";
import { formOf } from "../card/form/evaluate-form.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import type { BotModules } from "../modules.js";
import { asCommand, isPrivate, withoutMention } from "../telegram/place.js";
import { cleanText } from "../texts/html.js";
import { readWords, type Said } from "../texts/read-words.js";
import { isAnswerToQuestion } from "./compose/card-question.js";
import { askKeyboard } from "./support/support-store.js";

type TextContext = Filter<BotContext, "message:text">;
const COMMANDS: ReadonlySet<string> = new Set(["start", "help", "balance", "language", "cancel"]);

/** Answers words that are no description: commands in words, thanks, numbers, and requests of a kind. */
export function talkFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  composer.on("message:text", async (ctx, next) => {
    const words = addressedWords(ctx);
    const said = words === "" ? undefined : readWords(words, bot.words);
    if (!said) return next();
    await answer(ctx, said, next, bot);
  });
  return { composer };
}

/** Returns the words said to the bot. Empty for commands, the rest of a long text, and what others are told. */
function addressedWords(ctx: TextContext): string {
  const { text } = ctx.message;
  if (text.startsWith("/") || ctx.longText || isReplyToBot(ctx)) return "";
  return cleanText(isPrivate(ctx) ? text : (withoutMention(text, ctx.me.username) ?? ""));
}

async function answer(ctx: TextContext, said: Said, next: NextFunction, bot: BotModules): Promise<void> {
  const { kind } = said;
  if (kind === "request") return begin(ctx, said, next, bot);
  if (COMMANDS.has(kind)) return goOnAs(ctx, kind, "", next);
  if (kind === "operator" && bot.support?.isOpen()) {
    const reply_markup = askKeyboard("button-support-private", "question", ctx.language);
    return void (await ctx.reply(ctx.language.t("talk-operator-support"), { reply_markup }));
  }
  await ctx.reply(await replyTo(ctx, kind, bot));
}

/** Begins a card. A request for the kind of the open card is its description, so that photos and settings stay. */
async function begin(
  ctx: TextContext,
  { type, text }: Extract<Said, { kind: "request" }>,
  next: NextFunction,
  { drafts, cards }: BotModules,
): Promise<void> {
  const open = drafts.composing(ctx.person.id, ctx.chatId);
  if (!isPrivate(ctx) || open?.type !== type) return goOnAs(ctx, type, text, next);
  if (text === "") return cards.repost(open, ctx);
  ctx.message.text = text;
  await next();
}

async function goOnAs(ctx: TextContext, name: string, text: string, next: NextFunction): Promise<void> {
  asCommand(ctx, name, text);
  await next();
}

/** True in a group for an answer to a question, and for a reply to a message of the bot. */
function isReplyToBot(ctx: TextContext): boolean {
  return !isPrivate(ctx) && (isAnswerToQuestion(ctx) || ctx.message.reply_to_message?.from?.id === ctx.me.id);
}

async function replyTo(ctx: TextContext, kind: Said["kind"], bot: BotModules): Promise<string> {
  const { t } = ctx.language;
  const { drafts, cards, supportContact } = bot;
  if (kind === "thanks") return t("talk-thanks");
  if (kind === "price") return priceText(ctx, bot);
  if (kind === "operator")
    return supportContact ? t("talk-operator", { contact: supportContact }) : t("talk-operator-nobody");
  const draft = drafts.composing(ctx.person.id, ctx.chatId);
  if (!draft || kind === "wordless") return t("talk-describe");
  if (draft.view.kind === "replace") return t("choose-by-tap");
  if (kind === "no") return t("talk-other");
  const form = formOf(draft, await cards.models(ctx, draft.type));
  return t(form?.payable === undefined ? "talk-describe" : "talk-confirm");
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
