import { Composer, InlineKeyboard, type NextFunction } from "grammy";
import type { Message } from "grammy/types";
import type { PaymentBook } from "../../../tills/payment-book.js";
import type { BotContext } from "../../context.js";
import { type AnswerOutcome, ask, type Question, questionDialog } from "../../dialogs.js";
import type { Feature } from "../../feature.js";
import { isAdmin, ownWordsOnly, taps } from "../../middleware.js";
import type { BotModules, ManagedBot } from "../../modules.js";
import type { OrderStore } from "../../orders/order-store.js";
import { paymentWords } from "../../payments/top-ups.js";
import { personText } from "../../people/balance-words.js";
import type { DataOf } from "../../telegram/button-data.js";
import { hasContent, isCommand } from "../../telegram/message-content.js";
import { chatPlaceOf, inTopic, isPrivate } from "../../telegram/place.js";
import { answerTap, editOrIgnore } from "../../telegram/tap-answers.js";
import { escapeHtml } from "../../texts/html.js";
import { localTimeHtml } from "../../texts/moment.js";
import {
  answers,
  askKeyboard,
  newestTicket,
  supportData,
  type TakeOutcome,
  type TicketKind,
  tickets,
  topics,
} from "./support-store.js";

const PAYMENTS_SHOWN = 5;

/** Lists the newest payments with their numbers, which admins can look up, as one paragraph of HTML. */
function paymentLines(ctx: BotContext, payments: PaymentBook): string[] {
  const found = payments.ofUser(ctx.person.id, PAYMENTS_SHOWN);
  if (found.length === 0) return [];
  const { t } = ctx.language;
  const lines = found.map((payment) => t("paysupport-payment", paymentWords(payment, ctx.language)));
  return [[t("paysupport-payments"), ...lines].join("\n")];
}

const ORDERS_SHOWN = 3;

/** Lists the newest orders with their numbers, which admins can look up, as one paragraph of HTML. */
function orderLines(ctx: BotContext, orders: OrderStore): string[] {
  const { t } = ctx.language;
  const lines = orders.newestOf(ctx.person.id, ORDERS_SHOWN).map((order) => {
    const number = t("order-number", { number: String(order.number) });
    return [number, localTimeHtml(order.createdAt, ctx.language), escapeHtml(order.modelTitle)].join(" · ");
  });
  return lines.length === 0 ? [] : [[t("support-orders"), ...lines].join("\n")];
}

const SUPPORT: Question<TicketKind> = { name: "support" };
/** What follows `/start` in the link to the question. */
const START_SUPPORT = "support";

/** Answers `/support` and `/paysupport`, and takes what people write to support. For everybody, also who is banned. */
export function supportFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  composer.command("support", (ctx) => begin(ctx, "question", ctx.match, bot));
  composer.command("paysupport", (ctx) => begin(ctx, "payment", ctx.match, bot));
  composer
    .command("start")
    .filter((ctx) => isPrivate(ctx) && ctx.match === START_SUPPORT)
    .use((ctx) => begin(ctx, "question", "", bot));
  composer.use(taps(supportData, (ctx, tap) => act(ctx, tap, bot)));
  composer.on("edited_message", (ctx, next) => tellEdited(ctx, next, bot));
  const question = questionDialog(SUPPORT, {
    async take(ctx, kind): Promise<AnswerOutcome> {
      const { message } = ctx;
      if (!message || !hasContent(message)) return { kind: "ignored" };
      const outcome = await take(ctx, message, kind, bot);
      // What is written next may be an order.
      if (outcome === "silent") return { kind: "gone" };
      return { kind: "over", reply: () => tellOutcome(ctx, outcome, kind) };
    },
  });
  const more = new Composer<BotContext>();
  more.on("message", (ctx, next) => takeMore(ctx, ctx.message, next, bot));
  return {
    commands: ["support", "paysupport"],
    ownData: bot.support.store,
    questions: [question, more],
    composer,
  };
}

async function begin(ctx: BotContext, kind: TicketKind, words: string, bot: ManagedBot): Promise<void> {
  const { t } = ctx.language;
  if (!isPrivate(ctx)) return sendToPrivate(ctx, kind, bot);
  const { message } = ctx;
  if (words !== "" && message && bot.support.isOpen()) return takeAndTell(ctx, message, kind, bot);
  const lines = [
    ...(kind === "payment"
      ? [t("paysupport"), ...paymentLines(ctx, bot.accounts.payments)]
      : orderLines(ctx, bot.orders)),
    ...(bot.support.isOpen() ? [t("support-ask"), ...alsoText(ctx, bot)] : [contactText(ctx, bot)]),
  ];
  await ctx.reply(lines.join("\n\n"), { parse_mode: "HTML", link_preview_options: { is_disabled: true } });
  if (bot.support.isOpen()) await ask(ctx, SUPPORT, kind);
}

/** A group must see neither payments nor what is wrong. */
async function sendToPrivate(ctx: BotContext, kind: TicketKind, bot: ManagedBot): Promise<void> {
  const { t } = ctx.language;
  const keyboard = new InlineKeyboard().url(
    t("button-support-private"),
    `https://t.me/${ctx.me.username}?start=${START_SUPPORT}`,
  );
  const lines = [
    ...(kind === "payment" ? [t("paysupport")] : []),
    t("support-private"),
    ...alsoText(ctx, bot),
  ];
  await ctx.reply(lines.join("\n\n"), { parse_mode: "HTML", reply_markup: keyboard });
}

/** Answers commands that are of use only where accounts are managed, with whom to write to and where to look. */
export function elsewhereFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  composer
    .filter(isAdmin(bot.adminIds))
    .command(["credit", "debit"], ownWordsOnly, (ctx) => ctx.reply(ctx.language.t("corrections-elsewhere")));
  composer.command(["support", "paysupport"], (ctx) =>
    ctx.reply(contactText(ctx, bot), { parse_mode: "HTML", link_preview_options: { is_disabled: true } }),
  );
  return { commands: ["support"], composer };
}

function contactText({ language: { t } }: BotContext, { supportContact }: BotModules): string {
  return supportContact
    ? t("support-contact", { contact: escapeHtml(supportContact) })
    : t("support-contact-owner");
}

function alsoText({ language: { t } }: BotContext, { supportContact }: ManagedBot): string[] {
  return supportContact ? [t("support-contact-too", { contact: escapeHtml(supportContact) })] : [];
}

async function act(ctx: BotContext, tap: DataOf<typeof supportData>, bot: ManagedBot): Promise<void> {
  if (ctx.tap?.isRepeated) return answerTap(ctx);
  if (tap.action === "answer") return askAdmin(ctx, tap.userId, bot);
  if (tap.action === "pass") return passOn(ctx, bot);
  await answerTap(ctx);
  await begin(ctx, tap.kind, "", bot);
}

/** Takes the words that the tapped message replies to. */
async function passOn(ctx: BotContext, bot: ManagedBot): Promise<void> {
  const { t } = ctx.language;
  const said = ctx.callbackQuery?.message?.reply_to_message;
  if (!said || said.from?.id !== ctx.person.id || !isPrivate(ctx) || !bot.support.isOpen())
    return answerTap(ctx, t("tap-unknown"));
  await answerTap(ctx);
  await takeAndTell(ctx, said as Message, "question", bot);
  await editOrIgnore(ctx.editMessageReplyMarkup());
}

/** Asks an admin for an answer: a reply to the question goes to the person. */
async function askAdmin(
  ctx: BotContext,
  userId: number,
  { adminIds, database, people, support: { store } }: ManagedBot,
): Promise<void> {
  const { t } = ctx.language;
  const place = chatPlaceOf(ctx);
  const person = people.find(userId);
  if (!place || !person || !adminIds.has(ctx.person.id)) return answerTap(ctx, t("tap-unknown"));
  await answerTap(ctx);
  const asked = store.addresseeOfReply({ chat_id: place.chatId, message_id: ctx.msgId ?? 0 });
  const { id, name } = ctx.person;
  const admin = `<a href="tg://user?id=${id}">${escapeHtml(name)}</a>`;
  const text = t("support-ask-admin", { admin, person: personText(person) });
  const { message_id } = await ctx.api.sendMessage(place.chatId, text, {
    ...inTopic(place),
    parse_mode: "HTML",
    // Opens the answer for the admin who is mentioned alone: what others of the chat write next is no answer.
    reply_markup: { force_reply: true, selective: true },
  });
  const { chatId: chat_id, threadId: thread_id } = place;
  const isOwnTopic = thread_id !== null && topics.get(database, { chat_id, thread_id })?.user_id === userId;
  const copy = { chat_id, message_id, thread_id: isOwnTopic ? thread_id : null };
  await store.keepCopy({ ...copy, user_id: userId, asked_id: asked?.asked_id ?? null });
}

/** Takes the rest of an album or of a long text, and replies to an answer of support. */
async function takeMore(
  ctx: BotContext,
  message: Message,
  next: NextFunction,
  bot: ManagedBot,
): Promise<void> {
  if (isCommand(message) || !isPrivate(ctx) || !hasContent(message) || !bot.support.isOpen()) return next();
  const { database } = bot;
  const user_id = ctx.person.id;
  const before = ctx.longText?.before.at(-1);
  const begun = before === undefined ? undefined : tickets.get(database, { user_id, message_id: before });
  const newest = message.media_group_id === undefined ? undefined : newestTicket(database, user_id);
  const whole = begun ?? (newest?.album === message.media_group_id ? newest : undefined);
  if (whole) return void (await take(ctx, message, whole.kind, bot));
  const sent_id = message.reply_to_message?.message_id;
  if (sent_id === undefined || !answers.get(database, { user_id, sent_id })) return next();
  await takeAndTell(ctx, message, "question", bot);
}

async function takeAndTell(
  ctx: BotContext,
  message: Message,
  kind: TicketKind,
  bot: ManagedBot,
): Promise<void> {
  await tellOutcome(ctx, await take(ctx, message, kind, bot), kind);
}

function take({ person }: BotContext, message: Message, kind: TicketKind, { support }: ManagedBot) {
  const { message_id, media_group_id: album = null } = message;
  return support.store.take({ user_id: person.id, message_id, kind, album });
}

/** Tells that an edit of a message changes nothing about what support has. */
async function tellEdited(ctx: BotContext, next: NextFunction, { database }: ManagedBot): Promise<void> {
  const ticket = tickets.get(database, { user_id: ctx.person.id, message_id: ctx.msgId ?? 0 });
  if (!ticket || !isPrivate(ctx)) return next();
  const reply_markup = askKeyboard("button-support-more", ticket.kind, ctx.language);
  await ctx.reply(ctx.language.t("support-edited"), { reply_markup });
}

/** Tells what became of a message, with the way to write more. */
async function tellOutcome(ctx: BotContext, outcome: TakeOutcome, kind: TicketKind): Promise<void> {
  if (outcome === "silent") return;
  const { language } = ctx;
  const reply_markup = askKeyboard("button-support-more", kind, language);
  const words = outcome === "taken" ? "support-taken" : "support-too-many";
  await ctx.reply(language.t(words), { reply_markup });
}
