import { Composer, GrammyError, InlineKeyboard, type NextFunction } from "grammy";
import { actorOf, type BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { forAdminsAlone, ownWordsOnly, taps } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import { FileSender } from "../orders/delivery/file-sender.js";
import type { Order } from "../orders/order.js";
import { type StoryEvent, storyOf } from "../orders/order-story.js";
import { uncertainData } from "../orders/uncertain-orders.js";
import { type NoticeLine, type People, sendNotice } from "../people/people.js";
import { actorName } from "../people/person-ref.js";
import { confirmScreen, type Screen, sendScreen, turnTo } from "../screens.js";
import { actionData, type DataOf, natural } from "../telegram/button-data.js";
import { answerTap } from "../telegram/tap-answers.js";
import { cutText, escapeHtml, quotedWord } from "../texts/html.js";
import { localTimeHtml } from "../texts/moment.js";
import type { Language } from "../texts/texts.js";
import { accountData } from "./person-buttons.js";
import { type OrderRef, readOrderRef } from "./uncertain-orders.js";

/** The command of an order as one word, which apps make a link: they cut a command at its first space. */
const ORDER_LINK = /^\/order_(\d{1,9})(?:@\w+)?$/;

export function orderLink({ number }: Pick<Order, "number">): string {
  return `/order_${number}`;
}

const LINES_MAX = 30;
const REF_SHOWN = 80;
const WORDS_SHOWN = 80;

type Story = ReturnType<typeof storyOf>;

function eventHtml(event: StoryEvent, language: Language, people: People): string {
  const { t, money } = language;
  switch (event.kind) {
    case "confirmed":
      return t("story-confirmed", { sum: money(event.kopecks) });
    case "charged":
    case "refunded":
      return t(`story-${event.kind}`, {
        sum: money(event.kopecks),
        actor: actorName(event.actor, people, language),
      });
    case "begun":
      return t("story-begun");
    case "sent": {
      const { number, state, detail } = event;
      const why = detail === null ? "" : ` · ${escapeHtml(cutText(detail, WORDS_SHOWN))}`;
      return `${t("story-sent", { provider: escapeHtml(event.provider), number, state })}${why}`;
    }
    case "accepted": {
      const ref = escapeHtml(cutText(event.ref ?? "", REF_SHOWN));
      return t("story-accepted", { provider: escapeHtml(event.provider), ref });
    }
    case "made":
      return t("story-made");
    case "failed":
      return t("story-failed", { reason: escapeHtml(event.reason) });
    case "delivered":
      return t("story-delivered", { count: event.files });
    case "lost":
      return t("story-lost", { outcome: escapeHtml(cutText(event.outcome, WORDS_SHOWN)) });
  }
}

/** `ao:<show, files or ask>:<number of the order>`, and `ao:refund:<number>:<kopecks>`: with another sum it asks again. */
export const storyData = actionData("ao", {
  show: ["show", natural("number")],
  files: ["files", natural("number")],
  ask: ["ask", natural("number")],
  refund: ["refund", natural("number"), natural("kopecks")],
});

const DESCRIPTION_SHOWN = 200;

/** Shows an admin the whole story of an order, the first thing first. For private chats only. */
function orderScreen(story: Story, language: Language, bot: ManagedBot): Screen {
  const { t, money } = language;
  const { order, record, delivery, events } = story;
  const { number } = order;
  const isAlone = record.jobs.length === 1;
  const told = events.slice(0, LINES_MAX).map((event) => {
    const ofJob = "jobId" in event && !isAlone ? `${event.jobId}: ` : "";
    return `${localTimeHtml(event.at, language)} · ${ofJob}${eventHtml(event, language, bot.people)}`;
  });
  const left = events.length - told.length;
  const words = [order.request.prompt, order.request.description, order.request.lyrics].find(
    (text): text is string => typeof text === "string" && text !== "",
  );
  const lines = [
    `<b>${t("order-title", { number: String(number) })}</b> · ${t(`order-state-${order.state}`)}`,
    `${escapeHtml(order.modelTitle)} · ${money(order.quotedKopecks)}`,
    escapeHtml(order.userName) || t("story-forgotten"),
    ...(words === undefined
      ? []
      : [`<blockquote>${escapeHtml(cutText(words, DESCRIPTION_SHOWN))}</blockquote>`]),
    "",
    ...told,
    ...(left > 0 ? [t("story-more", { count: left })] : []),
    ...(delivery && delivery.ended_at === null
      ? [t("story-delivering", { attempts: delivery.attempts, outcome: escapeHtml(delivery.outcome ?? "") })]
      : []),
  ];
  const keyboard = new InlineKeyboard();
  if (filesAtTelegram(story).length > 0)
    keyboard.text(t("button-files"), storyData.encode({ action: "files", number }));
  const refundable = record.refundableKopecks;
  if (refundable > 0)
    keyboard
      .text(t("button-refund", { sum: money(refundable) }), storyData.encode({ action: "ask", number }))
      .danger();
  keyboard.row();
  const uncertain = order.state === "uncertain" ? bot.orders.uncertain.findByOrder(order.id) : undefined;
  if (uncertain)
    keyboard.text(t("button-settle"), uncertainData.encode({ action: "show", number: uncertain.number }));
  keyboard.text(t("button-account"), accountData.encode({ action: "show", userId: order.userId }));
  return { text: lines.join("\n"), keyboard };
}

/** Asks whether the money is really to be given back, where there is any. */
function refundScreen(story: Story, language: Language, bot: ManagedBot): Screen {
  const { order, record } = story;
  if (record.refundableKopecks <= 0) return orderScreen(story, language, bot);
  const { t, money } = language;
  const { number } = order;
  const sum = money(record.refundableKopecks);
  const whose = { sum, number: String(number), name: escapeHtml(order.userName), id: String(order.userId) };
  const yes = {
    label: t("button-refund-sure", { sum }),
    data: storyData.encode({ action: "refund", number, kopecks: record.refundableKopecks }),
  };
  const back = { data: storyData.encode({ action: "show", number }) };
  return confirmScreen(t("refund-ask", whose), { yes, back }, t);
}

/** Lists the files that Telegram keeps, which cost nothing to send again. */
function filesAtTelegram({ delivery }: Story) {
  return delivery?.files.filter(({ fileId }) => fileId !== "") ?? [];
}

/** Handles `/order NUMBER` and `/refund NUMBER`, for admins in their private chats: an order's story, its files, its refund. */
export function orderStoryFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(bot.adminIds));
  forAdmins.command("order", ownWordsOnly, (ctx, next) => answer(ctx, ctx.match, next, bot));
  forAdmins.hears(ORDER_LINK, ownWordsOnly, (ctx, next) => answer(ctx, ctx.match[1] ?? "", next, bot));
  // What names a payment was answered before.
  forAdmins.command("refund", ownWordsOnly, async (ctx) => {
    const order = orderOfRef(readOrderRef(ctx.match), bot);
    if (order) return sendScreen(ctx, refundScreen(storyIn(order, bot), ctx.language, bot));
    await ctx.reply(ctx.language.t("payment-refund-unknown"));
  });
  forAdmins.use(taps(storyData, (ctx, data) => act(ctx, data, bot)));
  return { adminCommands: ["order"], composer };
}

/** Passes on ids of jobs after a number: they settle an unconfirmed order. */
async function answer(ctx: BotContext, words: string, next: NextFunction, bot: ManagedBot): Promise<void> {
  const ref = readOrderRef(words);
  if (ref.word === "") return sendNewest(ctx, bot);
  if (ref.jobs !== "") return next();
  const order = orderOfRef(ref, bot);
  if (!order) return void (await ctx.reply(ctx.language.t("order-unknown", { word: quotedWord(ref.word) })));
  await sendScreen(ctx, orderScreen(storyIn(order, bot), ctx.language, bot));
}

const NEWEST_SHOWN = 5;

/** Tells how to name an order, with the newest ones to tap. */
async function sendNewest(ctx: BotContext, { orders }: ManagedBot): Promise<void> {
  const { t, money } = ctx.language;
  const newest = orders.newest(NEWEST_SHOWN);
  const [first] = newest;
  if (!first) return void (await ctx.reply(t("orders-no-one")));
  const lines = newest.map((order) =>
    [
      orderLink(order),
      escapeHtml(order.modelTitle),
      money(order.quotedKopecks),
      escapeHtml(order.userName),
    ].join(" · "),
  );
  const head = t("orders-by-number", { example: `/order ${first.number}` });
  await ctx.reply([head, ...lines].join("\n"), { parse_mode: "HTML" });
}

function orderOfRef({ number, orderId = "" }: OrderRef, { orders }: ManagedBot): Order | undefined {
  return number === undefined ? orders.find(orderId) : orders.byNumber(number);
}

async function act(ctx: BotContext, data: DataOf<typeof storyData>, bot: ManagedBot): Promise<void> {
  const order = bot.orders.byNumber(data.number);
  if (!order) return answerTap(ctx, ctx.language.t("order-gone"));
  if (ctx.tap?.isRepeated) return answerTap(ctx);
  const story = storyIn(order, bot);
  const { refundableKopecks } = story.record;
  if (data.action === "show") return turnTo(ctx, orderScreen(story, ctx.language, bot));
  if (data.action === "files") return sendFiles(ctx, story, bot);
  if (data.action === "ask" || (refundableKopecks > 0 && data.kopecks !== refundableKopecks))
    return turnTo(ctx, refundScreen(story, ctx.language, bot));
  const { t, money } = ctx.language;
  const { outcome, isTold } = await refundOrder(order, { actor: actorOf(ctx), reason: null }, bot, true);
  const sum = "kopecks" in outcome ? money(outcome.kopecks) : "";
  const after = orderScreen(storyIn(order, bot), ctx.language, bot);
  await turnTo(ctx, after, t(`refund-${outcome.kind}`, { sum }));
  if (isTold === false) await ctx.reply(t("correction-untold"));
}

/** Sends the files once more, to the admin. That somebody looked at them is recorded first. */
async function sendFiles(ctx: BotContext, story: Story, bot: ManagedBot): Promise<void> {
  const { order } = story;
  await answerTap(ctx);
  const accountId = bot.accounts.users.find(order.userId) ?? null;
  const subject = `order:${order.id}`;
  await bot.accounts.audit.record({ actor: actorOf(ctx), act: "see-files", accountId, subject });
  // Nothing is uploaded: Telegram has these files.
  const sender = new FileSender(bot.api, 0);
  const place = { chatId: ctx.person.id, threadId: null, modelTitle: order.modelTitle };
  try {
    for (const file of filesAtTelegram(story))
      await sender.send({ order: place, files: [file], caption: undefined, keyboard: undefined });
  } catch (error) {
    if (!(error instanceof GrammyError)) throw error;
    bot.logger.info({ order_id: order.id, err: error }, "files of an order not sent to an admin");
    await ctx.reply(ctx.language.t("story-files-gone"));
  }
}

type RefundDesk = Pick<ManagedBot, "people" | "texts"> &
  NoticeLine & { accounts: Pick<ManagedBot["accounts"], "orders"> };

/**
 * Returns the money of an order, once, and tells its person. `isTold` is undefined where there was nothing to tell.
 * @param isTap runs again after a crash: whose own return it repeats, tells of it again
 */
export async function refundOrder(
  order: Order,
  by: { actor: string; reason: string | null },
  { accounts, people, texts, ...line }: RefundDesk,
  isTap = false,
) {
  const { userId, id: orderId } = order;
  const outcome = await accounts.orders.refund({ userId, orderId, ...by });
  const person = people.find(userId);
  const isAgain = isTap && outcome.kind === "repeated" && outcome.by === by.actor;
  if ((outcome.kind !== "done" && !isAgain) || !person) return { outcome, isTold: undefined };
  const { t, money } = texts.in(person.locale);
  const told = t("told-refund", {
    sum: money(outcome.kopecks),
    model: escapeHtml(order.modelTitle),
    number: String(order.number),
    balance: money(outcome.balanceKopecks),
  });
  const { debtPaidKopecks: debt } = outcome;
  const words = debt > 0 ? `${told}\n${t("payment-debt", { debt: money(debt) })}` : told;
  return { outcome, isTold: await sendNotice(person, words, line) };
}

function storyIn(order: Order, { orders, accounts }: ManagedBot): Story {
  return storyOf(order, { orders, records: accounts.orders });
}
