import { type CommandContext, Composer, type Filter, InlineKeyboard, Keyboard } from "grammy";
import { accountById, banAt, entryReason, newestNotes } from "../../accounts/account-store.js";
import type { Admins } from "../../accounts/admin-store.js";
import { consentsOfAccount } from "../../accounts/consent-log.js";
import { livingKeysOf } from "../../accounts/key-store.js";
import { debtOf, type LedgerEntry, newestEntries } from "../../accounts/ledger-store.js";
import { HOUR_MS } from "../../platform/units.js";
import { actorOf, type BotContext } from "../context.js";
import { type AnswerOutcome, ask, type Question, questionDialog, refused } from "../dialogs.js";
import type { Feature } from "../feature.js";
import { forAdminsAlone, isAdmin, ownWordsOnly, taps } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import type { Order } from "../orders/order.js";
import { debtLines, personText } from "../people/balance-words.js";
import { type Person, sendNotice } from "../people/people.js";
import { actorName, authorOf, findPerson, type MeantPerson, meantPerson } from "../people/person-ref.js";
import { type Screen, sendInPrivate, sendScreen, shownAs, turnTo } from "../screens.js";
import { isOwnWords, SeenAlbums } from "../telegram/message-content.js";
import { answerTap } from "../telegram/tap-answers.js";
import { cleanText, cutText, escapeHtml } from "../texts/html.js";
import { localDayHtml, localTimeHtml } from "../texts/moment.js";
import { firstText, type Language, tillName } from "../texts/texts.js";
import { liftBan, makeBan, readBanTerms, termLines } from "./bans.js";
import { askCorrection, faultText, readSum } from "./corrections.js";
import { orderLink } from "./order-story.js";
import { type AccountAction, type AccountData, accountData } from "./person-buttons.js";
import { refundLink } from "./refund.js";

/** Bounds texts of others, so that the screen is one message. */
const REASON_SHOWN = 60;
const NOTE_SHOWN = 200;

/** The lists of an account: what an admin mostly looks for fits on the screen of a phone, the rest behind a button. */
const SHOWN = {
  short: { orders: 3, payments: 1 },
  whole: { orders: 5, payments: 5 },
} as const;
type Extent = keyof typeof SHOWN;
const ENTRIES_SHOWN = 10;
const NOTES_SHOWN = 5;
const CONSENTS_SHOWN = 4;

/** Shows an admin a person, with the newest of each list first. For private chats only. */
async function accountScreen(
  person: Person,
  language: Language,
  bot: ManagedBot,
  extent: Extent = "short",
): Promise<Screen> {
  const { people, orders, clock, accounts, database } = bot;
  const accountId = await accounts.users.idOf(person);
  const { balance, created_at } = accountById(database, accountId);
  const ban = banAt(database, accountId, clock.now());
  const seen = people.seen(person.id);
  const isWhole = extent === "whole";
  const { t, money } = language;
  const time = (at: number) => localTimeHtml(at, language);
  // No more exactly than it is known.
  const seenText = (at: number) =>
    clock.now() - at < HOUR_MS ? t("account-seen-hour") : localDayHtml(at, language);
  const list = <T>(title: string, of: readonly T[], line: (one: T) => readonly string[]) =>
    of.length === 0 ? [] : [`<b>${t(title)}</b>`, ...of.map((one) => line(one).join(" · "))];
  const parts = [
    [
      personText(person),
      t("account-balance", { balance: money(balance) }),
      ...debtLines(debtOf(database, accountId), language),
      t("account-since", { since: time(seen?.firstAt ?? created_at) }),
      ...(seen ? [t("account-seen", { seen: seenText(seen.lastAt) })] : []),
      ...(ban ? [t("account-banned"), ...termLines({ ...ban, until: ban.until_at }, language)] : []),
    ],
    list("account-entries", isWhole ? newestEntries(database, accountId, ENTRIES_SHOWN) : [], (entry) =>
      entryWords(entry, language, bot),
    ),
    list("account-orders", orders.newestOf(person.id, SHOWN[extent].orders), (order) => [
      time(order.createdAt),
      orderName(order),
      money(order.quotedKopecks),
      t(`order-state-${order.state}`),
    ]),
    list("account-payments", accounts.payments.ofUser(person.id, SHOWN[extent].payments), (payment) => [
      time(payment.paid_at),
      refundLink(payment.id),
      tillName(payment.till, language),
      ...(payment.kopecks === null ? [] : [money(payment.kopecks)]),
      t(`account-payment-${payment.state}`),
    ]),
    list("account-keys", isWhole ? livingKeysOf(database, accountId) : [], ({ prefix, last_used_at }) => [
      `<code>${escapeHtml(prefix)}…</code>`,
      last_used_at === null ? t("key-never-used") : time(last_used_at),
    ]),
    list("account-notes", newestNotes(database, accountId, NOTES_SHOWN), ({ created_at, actor, text }) => [
      time(created_at),
      `${actorName(actor, people, language)}: ${escapeHtml(cutText(text, NOTE_SHOWN))}`,
    ]),
    list(
      "account-consents",
      isWhole ? consentsOfAccount(database, accountId, CONSENTS_SHOWN) : [],
      ({ document, agreed_at }) => [time(agreed_at), `/${document}`],
    ),
  ];
  const texts = parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return {
    text: texts.join("\n\n"),
    keyboard: accountKeyboard(person.id, ban !== undefined, extent, language),
  };
}

function accountKeyboard(userId: number, isBanned: boolean, extent: Extent, { t }: Language): InlineKeyboard {
  const data = (action: AccountAction) => accountData.encode({ action, userId });
  const keyboard = new InlineKeyboard()
    .text(t("button-credit"), data("credit"))
    .text(t("button-debit"), data("debit"))
    .row()
    .text(t("button-message"), data("message"))
    .text(t("button-note"), data("note"))
    .row();
  if (isBanned) keyboard.text(t("button-unban"), data("unban"));
  else keyboard.text(t("button-ban"), data("ban")).danger();
  return extent === "short" ? keyboard.row().text(t("button-account-whole"), data("whole")) : keyboard;
}

function entryWords(entry: LedgerEntry, language: Language, { orders, people }: ManagedBot): string[] {
  const { kind, amount, order_id, actor, created_at } = entry;
  const { cause, note } = entryReason(entry);
  const order = order_id === null ? undefined : orders.find(order_id);
  const isCorrection = cause === null && (kind === "credit" || kind === "debit");
  return [
    localTimeHtml(created_at, language),
    `${amount > 0 ? "+" : "−"}${language.money(Math.abs(amount))}`,
    firstText(language, [`entry-${kind}-${cause}`, `account-entry-${kind}`]),
    ...(order ? [orderName(order)] : []),
    ...(isCorrection ? [actorName(actor, people, language)] : []),
    ...(note === null || order ? [] : [escapeHtml(cutText(note, REASON_SHOWN))]),
  ];
}

function orderName(order: Order): string {
  return `${orderLink(order)} · ${escapeHtml(order.modelTitle)}`;
}

/**
 * Finds the person whom an admin means and shows the account. False where nobody was found, which the admin is told.
 * @param options `isFromList`: Telegram's list of people may be open below, and is removed
 */
async function showFound(
  ctx: BotContext,
  meant: MeantPerson,
  bot: ManagedBot,
  { isFromList = true } = {},
): Promise<boolean> {
  const found = await findPerson(meant, bot, ctx.language.t);
  if ("fault" in found) {
    await ctx.reply(found.fault, { reply_markup: { remove_keyboard: true } });
    return false;
  }
  // The list of people stays below until a message removes it.
  if (isFromList)
    await ctx.reply(personText(found.person), {
      parse_mode: "HTML",
      reply_markup: { remove_keyboard: true },
    });
  await showAccount(ctx, found.person, bot);
  return true;
}

async function showAccount(ctx: BotContext, person: Person, bot: ManagedBot): Promise<void> {
  const screen = await accountScreen(person, ctx.language, bot);
  await ctx.api.sendMessage(ctx.person.id, screen.text, shownAs(screen));
}

/** The number under which Telegram's picker tells whom an admin chose. */
const PICK_ID = 1;

/** Recognises the message that says whom an admin chose. */
export function isPickOfAdmin(ctx: BotContext, adminIds: Admins): boolean {
  return ctx.message?.users_shared?.request_id === PICK_ID && forAdminsAlone(adminIds)(ctx);
}

/** Shows the account of the person whom an admin chose from Telegram's list. */
export async function showPicked(
  ctx: Filter<BotContext, "message:users_shared">,
  bot: ManagedBot,
): Promise<void> {
  const [shared] = ctx.message.users_shared.users;
  if (shared && isPickOfAdmin(ctx, bot.adminIds)) await showFound(ctx, { id: shared.user_id }, bot);
}

type WordsFor = Exclude<AccountAction, "show" | "whole" | "send" | "unban">;

/** Asks an admin for the words of an act: a sum, a message, a note, or the terms of a ban. */
const ACCOUNT_WORDS: Question<{ userId: number; act: WordsFor }> = { name: "account-words" };

const MESSAGE_MAX = 3500;
const NOTE_MAX = 1000;

async function take(
  ctx: BotContext,
  person: Person,
  act: WordsFor,
  words: string,
  bot: ManagedBot,
): Promise<AnswerOutcome> {
  const idempotencyKey = `telegram:${ctx.me.id}:${ctx.chatId}:${ctx.msgId}`;
  const actor = actorOf(ctx);
  switch (act) {
    case "credit":
    case "debit": {
      const sum = readSum(words.split(/\s+/).filter(Boolean));
      if ("fault" in sum) return refused(ctx, faultText(sum, ctx.language.t));
      const of = { admin_id: ctx.person.id, user_id: person.id, idempotency_key: idempotencyKey };
      // Buttons have led here: nothing moves before a question that names person and sum.
      await askCorrection(ctx, { ...of, kind: act, ...sum }, bot);
      return { kind: "over" };
    }
    case "message":
      await sendWords(ctx, person, words, bot);
      return { kind: "over" };
    case "note": {
      const text = cutText(cleanText(words), NOTE_MAX);
      if (text === "") return refused(ctx, ctx.language.t("account-ask-note"));
      await bot.accounts.users.note(person.id, { text, actor, idempotencyKey });
      return { kind: "over", reply: () => ctx.reply(ctx.language.t("account-noted")) };
    }
    case "ban": {
      const sentAt = (ctx.msg?.date ?? 0) * 1000;
      const terms = readBanTerms(words === "-" ? "" : words, { sentAt, now: bot.clock.now() });
      if ("wrongUntil" in terms)
        return refused(ctx, ctx.language.t("fault-until", { word: terms.wrongUntil }));
      await makeBan(ctx, person, terms, bot);
      return { kind: "over" };
    }
  }
}

/** Sends the words of an admin to a person. The act is recorded first: what may have been sent is known. */
async function sendWords(ctx: BotContext, person: Person, words: string, bot: ManagedBot): Promise<void> {
  const { t } = bot.texts.in(person.locale);
  const accountId = bot.accounts.users.find(person.id) ?? null;
  await bot.accounts.audit.record({ actor: actorOf(ctx), act: "message", accountId });
  const text = t("told-message", { text: escapeHtml(cutText(cleanText(words), MESSAGE_MAX)) });
  const isSent = await sendNotice(person, text, bot);
  await ctx.reply(ctx.language.t(isSent ? "account-message-sent" : "correction-untold"));
}

/** Asks an admin whose account to show. */
const ACCOUNT_PERSON: Question<null> = { name: "account-person" };

/** Handles `/account`, for admins in their private chats: what is known of a person, and acts on the account. */
export function accountFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(bot.adminIds));
  forAdmins.command("account", ownWordsOnly, (ctx) => answer(ctx, bot));
  forAdmins.use(taps(accountData, (ctx, data) => act(ctx, data, bot)));
  // A button of a group shows nothing there.
  composer
    .filter(isAdmin(bot.adminIds))
    .use(taps(accountData, (ctx, data, next) => (data.action === "send" ? send(ctx, data, bot) : next())));
  const person = questionDialog(ACCOUNT_PERSON, {
    async take(ctx) {
      const { message } = ctx;
      if (!message || !bot.adminIds.has(ctx.person.id)) return { kind: "gone" };
      const meant = authorOf(message) ?? meantPerson(message.text ?? "", undefined, bot.people)?.meant;
      if (meant === undefined) return { kind: "passed" };
      return { kind: (await showFound(ctx, meant, bot)) ? "over" : "refused" };
    },
  });
  const albums = new SeenAlbums();
  const words = questionDialog(ACCOUNT_WORDS, {
    async take(ctx, { userId, act }) {
      const person = bot.people.find(userId);
      if (!bot.adminIds.has(ctx.person.id) || !person) return { kind: "gone" };
      const { message } = ctx;
      if (!message || !albums.isFirst(message)) return { kind: "ignored" };
      if (message.text === undefined) return refused(ctx, ctx.language.t("prompt-no-text"));
      if (!isOwnWords(message)) return refused(ctx, ctx.language.t("admin-own-words"));
      return take(ctx, person, act, message.text, bot);
    },
  });
  return { adminCommands: ["account"], questions: [person, words], composer };
}

async function answer(ctx: CommandContext<BotContext>, bot: ManagedBot): Promise<void> {
  const request = meantPerson(ctx.match, ctx.msg.reply_to_message, bot.people);
  if (request) return void (await showFound(ctx, request.meant, bot, { isFromList: false }));
  const { t } = ctx.language;
  // Telegram's own list of people.
  const reply_markup = new Keyboard()
    .requestUsers(t("button-pick-person"), PICK_ID, { max_quantity: 1, user_is_bot: false })
    .oneTime()
    .resized();
  await ctx.reply(t("account-ask-person"), { parse_mode: "HTML", reply_markup });
  await ask(ctx, ACCOUNT_PERSON, null);
}

async function act(ctx: BotContext, { action, userId }: AccountData, bot: ManagedBot): Promise<void> {
  // Any of the buttons leaves the question of another.
  await ctx.conversation.exit(ACCOUNT_WORDS.name);
  const person = bot.people.find(userId);
  if (!person) return answerTap(ctx, ctx.language.t("tap-unknown"));
  if (action === "show") return turnTo(ctx, accountScreen(person, ctx.language, bot));
  if (action === "whole") return turnTo(ctx, accountScreen(person, ctx.language, bot, action));
  if (ctx.tap?.isRepeated) return answerTap(ctx);
  if (action === "send") return send(ctx, { action, userId }, bot);
  await answerTap(ctx);
  if (action !== "unban") {
    const { t } = ctx.language;
    const back = accountData.encode({ action: "show", userId });
    const keyboard = new InlineKeyboard().text(t("button-back"), back);
    await sendScreen(ctx, { text: t(`account-ask-${action}`, { person: personText(person) }), keyboard });
    return ask(ctx, ACCOUNT_WORDS, { userId, act: action });
  }
  await liftBan(ctx, person, bot);
  await showAccount(ctx, person, bot);
}

/** Sends the account to the private chat of the admin who tapped. */
async function send(ctx: BotContext, { userId }: AccountData, bot: ManagedBot): Promise<void> {
  const person = bot.people.find(userId);
  if (!person) return answerTap(ctx, ctx.language.t("tap-unknown"));
  await sendInPrivate(ctx, await accountScreen(person, ctx.language, bot));
}
