import { InlineKeyboard } from "grammy";
import { ContractError } from "../../contract/errors.js";
import { type JobId, readJobId, TEXT_JOB_ID } from "../../contract/job.js";
import type { GenerationType } from "../../contract/model.js";
import { type Kopecks, kopecksOf, sumOf } from "../../contract/price.js";
import type { Logger } from "../../platform/logger.js";
import type { Gateway } from "../../ports/gateway.js";
import type { ServiceAccounts } from "../../service/accounts.js";
import type { BotGround } from "../bot-ground.js";
import { type Audience, needsAccount } from "../people/balance-words.js";
import { confirmScreen, type Screen, shownAs } from "../screens.js";
import { buttonData, type DataOf, marked, natural } from "../telegram/button-data.js";
import { isNothingToEdit, telegramFailure } from "../telegram/failure.js";
import { isInGroup } from "../telegram/place.js";
import { cutText, escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import { orderData } from "./delivery/result-keyboard.js";
import type { Order } from "./order.js";
import { type PersonNews, toldAdminsOf, type UncertainOrder } from "./uncertain-store.js";

/** The buttons of admins for orders of unknown outcome. `number`: the page of the list, or the order's number. */
export const uncertainData = buttonData("u", [
  marked("action", { list: "l", show: "o", charged: "c", not_charged: "n", surely_not_charged: "y" }),
  natural("number"),
]);
export type UncertainData = DataOf<typeof uncertainData>;

const WORDS_SHOWN = 200;

/** Shows an admin an order as HTML, with the buttons that settle it. For private chats only. */
export function adminScreen(
  record: UncertainOrder,
  language: Language,
  accounts: Pick<ServiceAccounts, "kind">,
): Screen {
  const { t } = language;
  const { number, order } = record;
  const keyboard = new InlineKeyboard();
  if (order.state === "uncertain")
    keyboard
      .text(t("button-order-charged"), uncertainData.encode({ action: "charged", number }))
      .row()
      .text(t("button-order-not-charged"), uncertainData.encode({ action: "not_charged", number }))
      .row();
  keyboard.text(t("button-order-list"), uncertainData.encode({ action: "list", number: 0 }));
  const lines = [
    ...factLines(record, language),
    "",
    ...stateLines(record, language, accounts.kind === "shared"),
  ];
  return { text: lines.join("\n"), keyboard };
}

/** Asks whether the order was really not charged, before its person is told so. HTML. */
export function doubtScreen(record: UncertainOrder, language: Language): Screen {
  const { t } = language;
  const { number, balance_before_kopecks: before, balance_after_kopecks: after } = record;
  const lines = [...factLines(record, language), ""];
  // The account lost money around the submission, by the order or by others.
  if (before !== null && after !== null && after < before) lines.push(t("order-looks-charged"));
  lines.push(t("order-surely", { sum: language.money(record.order.quotedKopecks) }));
  const yes = {
    label: t("button-order-surely"),
    data: uncertainData.encode({ action: "surely_not_charged", number }),
  };
  const back = { data: uncertainData.encode({ action: "show", number }) };
  return confirmScreen(lines.join("\n"), { yes, back }, t);
}

/** Formats a time: `2026-11-23 14:05 UTC`. */
function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function factLines(record: UncertainOrder, { t, money }: Language): string[] {
  const { number, order, balance_before_kopecks: before, balance_after_kopecks: after } = record;
  const lines = [
    `<b>${t("order-title", { number: String(number) })}</b>`,
    `${escapeHtml(order.modelTitle)} · ${money(order.quotedKopecks)}`,
    `${escapeHtml(order.userName)} · id <code>${order.userId}</code>`,
    // Of the payment, since the doubt may be noted by a later start.
    `${timeText(order.createdAt)} · <code>${order.id}</code>`,
  ];
  // The account may have many jobs of the same minute.
  const { prompt, description, lyrics } = order.request;
  const words = [prompt, description, lyrics].find((text) => typeof text === "string");
  if (words !== undefined) lines.push(`<blockquote>${escapeHtml(cutText(words, WORDS_SHOWN))}</blockquote>`);
  if (before !== null && after !== null)
    lines.push(t("order-balance", { before: money(before), after: money(after) }));
  return lines;
}

function stateLines(
  { number, order, repeated_until }: UncertainOrder,
  { t }: Language,
  isShared: boolean,
): string[] {
  if (order.state === "refused")
    return [t("order-was-not-charged"), t("order-take-back", { number: String(number) })];
  if (order.state !== "uncertain")
    return [t("order-was-charged", { ids: order.jobIds.map((id) => escapeHtml(String(id))).join(", ") })];
  const open = t(isShared ? "order-open" : "order-open-own", { count: jobsExpected(order) });
  return repeated_until === null
    ? [open]
    : [t("order-repeated", { until: timeText(repeated_until) }), "", open];
}

/** Counts the jobs of an order: the service makes one for each image. */
export function jobsExpected({ request }: Order): number {
  return request.type === "image" && typeof request.count === "number" ? request.count : 1;
}

export type JobFault =
  /** `newer`: the person has ordered the same again since the order was settled as not charged. */
  | { fault: "id" | "missing" | "taken" | "newer" | "no_key" | "unchecked"; word: string }
  | { fault: "count"; given: number; count: number }
  | { fault: "type"; word: string; found: GenerationType; type: GenerationType };

const NOT_THERE = new Set(["job_not_found", "bad_job_id"]);

/** Reads the job ids of an order as an admin types them: separated by spaces or commas. */
export function readJobIds(text: string, order: Order): readonly JobId[] | JobFault {
  const words = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
  const wrong = words.find((word) => !TEXT_JOB_ID.test(word));
  if (wrong !== undefined || words.length === 0) return { fault: "id", word: wrong ?? text };
  const count = jobsExpected(order);
  if (words.length !== count) return { fault: "count", given: words.length, count };
  return words.map(readJobId);
}

/** Asks the service for each job: the cost of all, when the account has them and they are of the order's kind. */
export async function costOfJobs(
  jobIds: readonly JobId[],
  { id, request: { type } }: Order,
  gateway: Gateway,
  logger: Logger,
): Promise<Kopecks | JobFault> {
  const costs: Kopecks[] = [];
  for (const jobId of jobIds) {
    const word = String(jobId);
    try {
      const { type: found, cost_rub } = await gateway.job(jobId);
      if (found !== type) return { fault: "type", word, found, type };
      costs.push(kopecksOf(cost_rub));
    } catch (error) {
      if (error instanceof ContractError && NOT_THERE.has(error.code)) return { fault: "missing", word };
      logger.warn({ order_id: id, job_id: jobId, err: error }, "job of an uncertain order not checked");
      return { fault: needsAccount(error) ? "no_key" : "unchecked", word };
    }
  }
  return sumOf(costs);
}

/** The most open orders that a start announces. `/orders` shows all. */
const ANNOUNCED_AT_START = 100;

/** Tells the person now and the admins in the background. Never throws: the next start tells the rest. */
export async function announceDoubt(orderId: string, bot: BotGround): Promise<void> {
  const record = bot.orders.uncertain.findByOrder(orderId);
  if (!record) return;
  void tellAdmins(record, bot);
  await tellPerson(record, bot);
}

/** Tells what an earlier run did not tell. `settling`: orders that the spool settles. */
export async function tellDoubtsOfBefore(settling: ReadonlySet<string>, bot: BotGround): Promise<void> {
  const { uncertain } = bot.orders;
  // Both are read at once: what becomes uncertain from now on is announced then.
  const withNews = uncertain.withNews().filter((id) => !settling.has(id));
  const open = uncertain.open(0, ANNOUNCED_AT_START).filter(({ order }) => !settling.has(order.id));
  for (const orderId of withNews) {
    const record = uncertain.findByOrder(orderId);
    if (record) await tellPerson(record, bot);
  }
  for (const { number } of open) {
    const record = uncertain.find(number);
    if (record) await tellAdmins(record, bot);
  }
}

async function tellAdmins(record: UncertainOrder, bot: BotGround): Promise<void> {
  if (record.order.state !== "uncertain") return;
  const { eventsChat, notices, orders, logger } = bot;
  const { order, number } = record;
  const told = toldAdminsOf(record);
  // The event chat is told once: its id stands among those of the admins who were told.
  if (eventsChat && !told.includes(eventsChat.chatId)) {
    notices.tell({ kind: "order_uncertain", number, model: order.modelTitle });
    await orders.uncertain.adminTold(order.id, eventsChat.chatId).catch((error: unknown) => {
      logger.warn({ order_id: order.id, err: error }, "event chat may be told twice of an uncertain order");
    });
  }
  for (const adminId of bot.adminIds) if (!told.includes(adminId)) await tellAdmin(record, adminId, bot);
}

/** Tells an admin of a new uncertain order. Never throws: the next start tells whoever was not reached. */
async function tellAdmin(
  record: UncertainOrder,
  adminId: number,
  { api, orders, accounts, languageOf, logger }: BotGround,
): Promise<void> {
  const { order } = record;
  const language = languageOf(adminId);
  const screen = adminScreen(record, language, accounts);
  try {
    await api.sendMessage(adminId, `${language.t("order-news")}\n\n${screen.text}`, shownAs(screen));
    await orders.uncertain.adminTold(order.id, adminId);
  } catch (error) {
    logger.warn(
      { order_id: order.id, admin_id: adminId, err: error },
      "admin not told of an uncertain order",
    );
  }
}

/** Tells the person what has become of the order. Never throws: the next start tells who was not reached. */
async function tellPerson(record: UncertainOrder, bot: BotGround): Promise<void> {
  const { order, person_news: news } = record;
  if (news === null) return;
  const { orders, logger } = bot;
  const ids = { order_id: order.id, user_id: order.userId };
  try {
    if (news === "uncertain") await closeCard(record, bot);
    await send(record, news, bot);
  } catch (error) {
    logger.warn({ ...ids, err: error }, "person not told of their order");
    // What may pass is tried again by the next start.
    const { kind } = telegramFailure(error);
    if (kind === "again" || kind === "wait") return;
  }
  await orders.uncertain
    .personTold(order.id, news)
    .catch((error: unknown) => logger.warn({ ...ids, err: error }, "person may be told twice"));
}

/** Removes the paying button. A card that cannot be edited answers its taps in words. */
async function closeCard(
  { order, repeated_until }: UncertainOrder,
  { api, languageOf, logger }: BotGround,
): Promise<void> {
  if (order.statusMessageId === null) return;
  const words = languageOf(order.userId).t(repeated_until === null ? "pay-uncertain" : "pay-repeated");
  try {
    await api.editMessageText(order.chatId, order.statusMessageId, words);
  } catch (error) {
    if (!isNothingToEdit(error)) logger.info({ order_id: order.id, err: error }, "card not closed");
  }
}

async function send(record: UncertainOrder, news: PersonNews, bot: BotGround): Promise<void> {
  const { outbox, cards, drafts, accounts, gateways, languageOf, people, supportContact, logger } = bot;
  const { order } = record;
  const language = languageOf(order.userId);
  const audience = { language, isGroup: isInGroup(order), isShared: accounts.kind === "shared" };
  const text =
    news === "uncertain"
      ? uncertainText(record, audience, supportContact)
      : language.t(`uncertain-${news}`, orderWords(order, language));
  const refused = news === "not_charged" ? drafts.find(order.draftId) : undefined;
  // Its person may have begun another card.
  const draft = refused?.state === "composing" ? refused : undefined;
  const person = people.find(order.userId);
  const isRepeated = news === "uncertain" && record.repeated_until !== null;
  const hasButton = news !== "charged" && !isRepeated && !(draft && person);
  const again = orderData.encode({ orderId: order.id, action: "again" });
  const keyboard = hasButton ? new InlineKeyboard().text(language.t("button-try-again"), again) : undefined;
  await outbox.say(order, { text, keyboard });
  if (!draft || !person) return;
  // The news has arrived, and must not be sent again for the card's sake.
  await gateways
    .of(person)
    .then((gateway) => cards.repost(draft, { person, gateway }))
    .catch((error: unknown) => logger.warn({ order_id: order.id, err: error }, "card not shown again"));
}

/**
 * Tells what is known of the order, and what happens next, as HTML. A group sees no balance.
 * @param isShared false where only the person sees the jobs of the account
 */
function uncertainText(
  record: UncertainOrder,
  { language, isGroup, isShared }: Audience & { isShared: boolean },
  supportContact: string | undefined,
): string {
  const { t, money } = language;
  const { balance_before_kopecks: before, balance_after_kopecks: after } = record;
  const what = t("uncertain-what", orderWords(record.order, language));
  // Nothing else is asked of the person: the outcome follows by itself.
  if (record.repeated_until !== null) return [what, t("uncertain-repeated")].join("\n\n");
  const lines = [what, t(isShared ? "uncertain-next" : "uncertain-next-own")];
  if (before !== null && after !== null && !isGroup) {
    const sums = { before: money(before), after: money(after) };
    lines.push(t(before === after ? "uncertain-balance-same" : "uncertain-balance-changed", sums));
  }
  lines.push(t("uncertain-again"));
  if (supportContact) lines.push(t("money-ask-uncertain", { contact: escapeHtml(supportContact) }));
  return lines.join("\n\n");
}

function orderWords(
  { modelTitle, quotedKopecks }: UncertainOrder["order"],
  { money }: Audience["language"],
): { model: string; price: string } {
  return { model: escapeHtml(modelTitle), price: money(quotedKopecks) };
}
