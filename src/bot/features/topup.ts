import { Composer, InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import { agree, hasAgreed } from "../../accounts/consent-log.js";
import { asKopecks, type Kopecks, kopecksOf, NO_KOPECKS, parseRubles } from "../../contract/price.js";
import { HOUR_MS } from "../../platform/units.js";
import { isoTime } from "../../platform/zoned-time.js";
import type { ReceiptContact, Till, TopUp } from "../../tills/till.js";
import { formOf } from "../card/form/evaluate-form.js";
import { inPairs } from "../card/render-card.js";
import type { BotContext } from "../context.js";
import { type AnswerOutcome, ask, type Question, questionDialog, refused } from "../dialogs.js";
import type { Feature } from "../feature.js";
import { taps } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import { contactOf, readContact, receiptContacts } from "../payments/receipt-contact.js";
import { type OfferedTopUp, START_TOP_UP, topUpButton, topUpData } from "../payments/top-ups.js";
import { connectedGateway, debtLines, lackOf } from "../people/balance-words.js";
import type { OwnData } from "../people/people.js";
import { sendScreen } from "../screens.js";
import { buttonData, type DataOf } from "../telegram/button-data.js";
import { isPrivate } from "../telegram/place.js";
import { alertTap, answerTap, editOrIgnore } from "../telegram/tap-answers.js";
import { escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";

/** A top-up that waits for the answer to a question. */
type WaitingTopUp = { till: string; topUp: TopUp } | null;

/** The question where receipts go. Without a subject nothing waits for the answer. */
const RECEIPT_CONTACT: Question<WaitingTopUp> = { name: "receipt-contact" };

/** Shows an invoice in the private chat. The first one, and the first after new terms, waits for the consent. */
async function buy(ctx: BotContext, offered: OfferedTopUp, bot: ManagedBot): Promise<void> {
  const { legalTexts, database, accounts } = bot;
  const { users } = accounts;
  if (users.banOf(ctx.person.id)) return void (await ctx.reply(ctx.language.t("checkout-banned")));
  const agreed = legalTexts.agreedIn(ctx.language.code);
  if (!hasAgreed(database, await users.idOf(ctx.person), agreed)) {
    const data = topUpData.encode({ action: "agree", till: offered.till.name, ...offered.topUp });
    const keyboard = new InlineKeyboard().text(ctx.language.t("button-agree"), data).success();
    return sendScreen(ctx, { text: ctx.language.t("consent-ask"), keyboard });
  }
  const contact = offered.till.needsContact ? contactOf(bot.database, ctx.person.id) : undefined;
  if (offered.till.needsContact && !contact) {
    await ask(ctx, RECEIPT_CONTACT, { till: offered.till.name, topUp: offered.topUp });
    return void (await ctx.reply(ctx.language.t("receipt-ask"), { parse_mode: "HTML" }));
  }
  await showInvoice(ctx, offered, bot, contact);
}

/** The row of the invoice is written before anything is sent. One that can be paid no longer gives way to another. */
async function showInvoice(
  ctx: BotContext,
  offered: OfferedTopUp,
  bot: ManagedBot,
  contact: ReceiptContact | undefined,
): Promise<void> {
  const { payments } = bot.accounts;
  const { till, topUp } = offered;
  const { t, money } = ctx.language;
  const sum = money(topUp.kopecks);
  const words = { title: t("invoice-title", { sum }), description: t("invoice-description", { sum }) };
  const reusedForMs = till.invoiceReusedForMs;
  const present = async () => {
    const asked = { till: till.name, userId: ctx.person.id, ...topUp, reusedForMs };
    const invoice = await payments.openInvoice(asked);
    const presented = await till.present(invoice, words, contact);
    // One that was shown before can still be paid where its link is only not shown again.
    const isOver =
      presented.kind === "ended" || (presented.kind === "unavailable" && invoice.message_id === null);
    if (isOver) await payments.closeInvoice(invoice.id);
    return { invoice, presented };
  };
  const first = await present();
  const { invoice, presented } = first.presented.kind === "ended" ? await present() : first;
  if (presented.kind === "sent") return;
  if (presented.kind === "link") {
    const button = InlineKeyboard.url(t(`button-pay-${till.name}`, { sum }), presented.url);
    const reply_markup = new InlineKeyboard([[button]]);
    const shown = await ctx.reply(t("invoice-link", { sum }), { parse_mode: "HTML", reply_markup });
    await payments.showInvoice(invoice.id, shown.message_id);
    // One message has the button: the one that tells how the payment ends.
    if (invoice.message_id !== null)
      await ctx.api.editMessageReplyMarkup(ctx.person.id, invoice.message_id).catch(() => {});
    return;
  }
  const data = topUpData.encode({ action: "buy", till: till.name, ...topUp });
  const reply_markup = new InlineKeyboard().text(t("button-top-up-again"), data);
  if (presented.kind === "later") return void (await ctx.reply(t("top-up-later"), { reply_markup }));
  await ctx.reply(t("top-up-unavailable"));
}

/** The question for a sum that the person types: below the menu of a time in ms since the epoch, or after a tap that wants one. */
const OWN_SUM: Question<number | null> = { name: "top-up-sum" };

const RUBLE = asKopecks(1_00);

function takeSum(ctx: BotContext, menuAt: number | null, bot: ManagedBot): AnswerOutcome {
  const { t } = ctx.language;
  const text = ctx.message?.text?.trim();
  if (text === undefined) return { kind: "passed" };
  const kopecks = parseRubles(
    text.replace(/\s*(?:₽|р\.?|руб(?:\.|л\p{L}+)?|rub(?:les?)?)$/iu, "").replace(/\s/g, ""),
  );
  const isOver = kopecks === undefined || bot.clock.now() - (menuAt ?? 0) > HOUR_MS;
  if (menuAt !== null && isOver) return { kind: "gone" };
  const offers = kopecks === undefined || kopecks < RUBLE ? [] : offersOf(kopecks, bot);
  if (offers.length === 0) return refused(ctx, refusalOf(ctx, kopecks, bot));
  const [only] = offers;
  if (only && offers.length === 1) return { kind: "over", reply: () => buy(ctx, only, bot) };
  const reply_markup = new InlineKeyboard(inPairs(offerButtons(offers, ctx.language)));
  return { kind: "over", reply: () => ctx.reply(t("top-up-choose"), { reply_markup }) };
}

/** Names the limits of a till where the sum is outside of them. */
function refusalOf({ language }: BotContext, kopecks: Kopecks | undefined, { topUps }: ManagedBot): string {
  const { t, money } = language;
  const limits = topUps.tills.flatMap((till) => (till.sellsFreeSums && till.limits ? [till.limits] : []));
  const [first] = limits;
  if (kopecks === undefined || !first) return t("top-up-sum-wrong");
  const least = Math.min(...limits.map(({ minKopecks }) => minKopecks));
  const most = Math.max(...limits.map(({ maxKopecks }) => maxKopecks));
  return t("top-up-sum-limits", { least: money(least), most: money(most) });
}

function offersOf(kopecks: Kopecks, { topUps }: ManagedBot): OfferedTopUp[] {
  const isSold = ({ sellsFreeSums, limits }: Till) =>
    sellsFreeSums && (!limits || (kopecks >= limits.minKopecks && kopecks <= limits.maxKopecks));
  return topUps.offersOf(kopecks).filter(({ till }) => isSold(till));
}

/** Handles `/topup`: fixed sums, the sum that is missing, and a sum that the person types. */
export function topUpFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  composer.command("topup", async (ctx) => {
    if (isPrivate(ctx)) return showMenu(ctx, bot);
    // Everybody in a group could pay an invoice that stands there.
    const reply_markup = new InlineKeyboard([[bot.topUps.linkButton(ctx.language)]]);
    await ctx.reply(ctx.language.t("top-up-private"), { reply_markup });
  });
  composer
    .command("start")
    .filter((ctx) => isPrivate(ctx) && ctx.match === START_TOP_UP)
    .use((ctx) => showMenu(ctx, bot));
  composer.filter(isPrivate).use(taps(topUpData, (ctx, data) => act(ctx, data, bot)));
  const ownSum = questionDialog(OWN_SUM, {
    take: async (ctx, menuAt) => takeSum(ctx, menuAt, bot),
    onGivenUp: async (ctx) => void (await ctx.reply(ctx.language.t("top-up-given-up"))),
  });
  return { commands: ["topup"], questions: [ownSum], composer };
}

async function act(ctx: BotContext, data: DataOf<typeof topUpData>, bot: ManagedBot): Promise<void> {
  if (ctx.tap?.isRepeated) return answerTap(ctx);
  if (data.action === "menu") return void (await Promise.all([answerTap(ctx), showMenu(ctx, bot)]));
  if (data.action === "own") {
    await answerTap(ctx);
    await ask(ctx, OWN_SUM, null);
    return void (await ctx.reply(ctx.language.t("top-up-ask-sum")));
  }
  await ctx.conversation.exit(OWN_SUM.name);
  const offered = bot.topUps.find(data.till, data);
  if (!offered) {
    const told = alertTap(ctx, ctx.language.t("tap-top-up-changed"));
    return void (await Promise.all([told, showMenu(ctx, bot)]));
  }
  await answerTap(ctx);
  if (data.action === "buy") return buy(ctx, offered, bot);
  const agreed = bot.legalTexts.agreedIn(ctx.language.code);
  await agree(bot, await bot.accounts.users.idOf(ctx.person), agreed);
  await buy(ctx, offered, bot);
  await editOrIgnore(ctx.editMessageText(ctx.language.t("consent-given"), { parse_mode: "HTML" }));
}

async function showMenu(ctx: BotContext, bot: ManagedBot): Promise<void> {
  const { t, money } = ctx.language;
  if (bot.accounts.users.banOf(ctx.person.id)) return void (await ctx.reply(t("checkout-banned")));
  const { amount, owed = 0 } = await connectedGateway(ctx).balance();
  const [balanceKopecks, owedKopecks] = [kopecksOf(amount), kopecksOf(owed)];
  const missing = await missingSum(ctx, balanceKopecks, owedKopecks, bot);
  const lines = [t("top-up-menu", { balance: money(balanceKopecks) })];
  lines.push(...debtLines(owedKopecks, ctx.language));
  if (bot.topUps.tills.length > 1) lines.push(t("top-up-tills"));
  if (missing > 0) lines.push(t("top-up-missing", { missing: money(missing) }));
  await ctx.reply(lines.join("\n"), { parse_mode: "HTML", reply_markup: menuKeyboard(ctx, missing, bot) });
  if (bot.topUps.tills.some(({ sellsFreeSums }) => sellsFreeSums)) await ask(ctx, OWN_SUM, bot.clock.now());
}

function menuKeyboard({ language }: BotContext, missing: Kopecks, { topUps }: ManagedBot): InlineKeyboard {
  const exact = missing > 0 ? topUps.offersOf(missing).filter(({ till }) => till.sellsFreeSums) : [];
  const packs = topUps.tills.flatMap((till) => till.packs.map((topUp) => ({ till, topUp })));
  const own = topUps.tills.some(({ sellsFreeSums }) => sellsFreeSums)
    ? [InlineKeyboard.text(language.t("button-own-sum"), topUpData.encode({ action: "own" }))]
    : [];
  return new InlineKeyboard(inPairs([...offerButtons([...exact, ...packs], language), ...own]));
}

/** Draws a button for each top-up, with its price and what it brings. */
function offerButtons(offers: readonly OfferedTopUp[], { t, money }: Language): InlineKeyboardButton[] {
  return offers.map((offer, index) => {
    const { price, kopecks } = offer.topUp;
    const label = t(`button-top-up-${offer.till.name}`, { price, sum: money(kopecks) });
    return topUpButton(offer, label, index === 0);
  });
}

/** Returns what has to be added for the card that is open in the private chat. */
async function missingSum(
  ctx: BotContext,
  balanceKopecks: Kopecks,
  owedKopecks: Kopecks,
  { drafts, cards }: ManagedBot,
): Promise<Kopecks> {
  const draft = drafts.composing(ctx.person.id, ctx.person.id);
  const price = draft && formOf(draft, await cards.models(ctx, draft.type))?.price;
  return price ? lackOf(price.kopecks, balanceKopecks, owedKopecks) : NO_KOPECKS;
}

const receiptTap = buttonData("rc", ["a"]);

/** Asks where receipts go: before the first payment, and when a person wants to change it. In private chats only. */
export function receiptFeature(bot: ManagedBot): Feature {
  const isNeeded = bot.topUps.tills.some(({ needsContact }) => needsContact);
  const composer = new Composer<BotContext>();
  composer.filter(isPrivate).use(
    taps(receiptTap, async (ctx) => {
      // A button of before, while no till sends receipts.
      if (!isNeeded) return alertTap(ctx, ctx.language.t("receipt-none"));
      await answerTap(ctx);
      await ask(ctx, RECEIPT_CONTACT, null);
      const { t } = ctx.language;
      const known = contactOf(bot.database, ctx.person.id);
      const contact = known && escapeHtml("phone" in known ? `+${known.phone}` : known.email);
      await sendScreen(ctx, { text: contact ? t("receipt-now", { contact }) : t("receipt-ask") });
    }),
  );
  const dialog = questionDialog(RECEIPT_CONTACT, {
    take: (ctx, waiting) => takeContact(ctx, waiting, bot),
    onGivenUp: async (ctx) => void (await ctx.reply(ctx.language.t("receipt-given-up"))),
  });
  const ownData: OwnData = {
    sections: (userId) => [
      {
        name: "receipts",
        rows: receiptContacts
          .all(bot.database, { user_id: userId })
          .map(({ contact, changed_at }) => ({ contact, changed_at: isoTime(changed_at) })),
      },
    ],
    eraseIn: (tx, userId) => void receiptContacts.delete(tx, { user_id: userId }),
  };
  return {
    ...(isNeeded && {
      settings: {
        label: ({ language: { t } }: BotContext) => t("button-receipts"),
        data: receiptTap.encode({}),
      },
    }),
    questions: [dialog],
    ownData,
    composer,
  };
}

async function takeContact(ctx: BotContext, waiting: WaitingTopUp, bot: ManagedBot): Promise<AnswerOutcome> {
  const { t } = ctx.language;
  const text = ctx.message?.text;
  if (text === undefined) return { kind: "passed" };
  const contact = readContact(text);
  if (!contact) return refused(ctx, t("receipt-wrong"));
  const row = {
    user_id: ctx.person.id,
    contact: "email" in contact ? contact.email : contact.phone,
    changed_at: bot.clock.now(),
  };
  await bot.database.write("receipt-contact", (tx) => receiptContacts.save(tx, ["user_id"], row));
  const reply = async () => {
    await ctx.reply(t("receipt-saved"));
    // The question has stopped a top-up.
    const offered = waiting && bot.topUps.find(waiting.till, waiting.topUp);
    if (offered) await buy(ctx, offered, bot);
  };
  return { kind: "over", reply };
}
