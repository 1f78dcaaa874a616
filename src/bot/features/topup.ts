import { Composer, InlineKeyboard } from "grammy";
import type { AccountBans } from "../../accounts/account-bans.js";
import type { ConsentLog } from "../../accounts/consent-log.js";
import { asKopecks, type Kopecks, kopecksOf, leftOf, NO_KOPECKS, parseRubles } from "../../contract/price.js";
import type { PaymentBook } from "../../tills/payment-book.js";
import type { Presented, ReceiptContact, SumLimits, TillInvoice, TopUp } from "../../tills/till.js";
import type { CardMessages } from "../card/card-messages.js";
import type { Drafts } from "../card/draft-store.js";
import { evaluateForm } from "../card/form/evaluate-form.js";
import type { BotContext } from "../context.js";
import { type AnswerOutcome, ask, type Question, type QuestionDialog, questionDialog } from "../dialogs.js";
import type { Feature } from "../feature.js";
import { taps } from "../middleware.js";
import {
  type OfferedTopUp,
  START_TOP_UP,
  type TopUpData,
  type TopUps,
  topUpButton,
  topUpData,
} from "../payments/top-ups.js";
import { gatewayOf } from "../people/balance-words.js";
import { isPrivate } from "../telegram/place.js";
import { answerTap, editOrIgnore, isRepeated } from "../telegram/tap-answers.js";
import type { LegalTexts } from "../texts/legal-texts.js";

export interface BuyDeps {
  bans: Pick<AccountBans, "of">;
  payments: Pick<PaymentBook, "openInvoice" | "closeInvoice">;
  consents: ConsentLog;
  topUps: TopUps;
  legalTexts: LegalTexts;
  /** Addresses that the receipts of people go to. */
  contacts: { of(userId: number): ReceiptContact | undefined };
}

/** A top-up that waits for the answer to a question. */
export interface WaitingTopUp {
  till: string;
  topUp: TopUp;
}

/** The question where receipts go. Without a subject nothing waits for the answer. */
export const RECEIPT_CONTACT: Question<WaitingTopUp | null> = { name: "receipt-contact" };

/** Shows an invoice in the private chat. The first one, and the first after new terms, waits for the consent. */
export async function buy(ctx: BotContext, offered: OfferedTopUp, deps: BuyDeps): Promise<void> {
  const { bans, consents, legalTexts } = deps;
  if (bans.of(ctx.person.id)) return void (await ctx.reply(ctx.language.t("checkout-banned")));
  const isAgreed = consents.hasAgreed(ctx.person.id, legalTexts.agreedIn(ctx.language.code));
  if (!isAgreed) return askConsent(ctx, offered);
  const contact = offered.till.needsContact ? deps.contacts.of(ctx.person.id) : undefined;
  if (offered.till.needsContact && !contact) return askContact(ctx, offered);
  await showInvoice(ctx, offered, deps, contact);
}

/** Records the consent, then shows the invoice. */
async function agreeAndBuy(ctx: BotContext, offered: OfferedTopUp, deps: BuyDeps): Promise<void> {
  await deps.consents.agree(ctx.person.id, deps.legalTexts.agreedIn(ctx.language.code));
  await buy(ctx, offered, deps);
}

async function askConsent(ctx: BotContext, { till, topUp }: OfferedTopUp): Promise<void> {
  const { t } = ctx.language;
  const data = topUpData.encode({ action: "agree", till: till.name, topUp });
  const keyboard = new InlineKeyboard().text(t("button-agree"), data).success();
  await ctx.reply(t("consent-ask"), { parse_mode: "HTML", reply_markup: keyboard });
}

async function askContact(ctx: BotContext, { till, topUp }: OfferedTopUp): Promise<void> {
  await ask(ctx, RECEIPT_CONTACT, { till: till.name, topUp });
  await ctx.reply(ctx.language.t("receipt-ask"), { parse_mode: "HTML" });
}

/** The row of the invoice is written before anything is sent. One that can be paid no longer gives way to another. */
async function showInvoice(
  ctx: BotContext,
  offered: OfferedTopUp,
  { payments }: Pick<BuyDeps, "payments">,
  contact: ReceiptContact | undefined,
): Promise<void> {
  const { till, topUp } = offered;
  const open = () =>
    payments.openInvoice({
      till: till.name,
      userId: ctx.person.id,
      ...topUp,
      reusedForMs: till.invoiceReusedForMs,
    });
  let invoice = await open();
  let presented = await present(ctx, offered, invoice, contact);
  if (presented.kind === "ended") {
    await payments.closeInvoice(invoice.id);
    invoice = await open();
    presented = await present(ctx, offered, invoice, contact);
  }
  if (presented.kind === "unavailable" || presented.kind === "ended") await payments.closeInvoice(invoice.id);
  await showPresented(ctx, offered, presented);
}

function present(
  { language: { t, money } }: BotContext,
  { till, topUp }: OfferedTopUp,
  invoice: TillInvoice,
  contact: ReceiptContact | undefined,
): Promise<Presented> {
  const sum = money(topUp.kopecks);
  const words = { title: t("invoice-title", { sum }), description: t("invoice-description", { sum }) };
  return till.present(invoice, words, contact);
}

async function showPresented(
  ctx: BotContext,
  { till, topUp }: OfferedTopUp,
  presented: Presented,
): Promise<void> {
  const { t, money } = ctx.language;
  const sum = money(topUp.kopecks);
  if (presented.kind === "sent") return;
  if (presented.kind === "link") {
    const button = InlineKeyboard.url(t(`button-pay-${till.name}`, { sum }), presented.url);
    const reply_markup = new InlineKeyboard([[button]]);
    return void (await ctx.reply(t("invoice-link", { sum }), { parse_mode: "HTML", reply_markup }));
  }
  const data = topUpData.encode({ action: "buy", till: till.name, topUp });
  const reply_markup = new InlineKeyboard().text(t("button-top-up-again"), data);
  if (presented.kind === "later") return void (await ctx.reply(t("top-up-later"), { reply_markup }));
  await ctx.reply(t("top-up-unavailable"));
}

/** The question for a sum that the person types. */
const OWN_SUM: Question<null> = { name: "top-up-sum" };

const RUBLE = asKopecks(1_00);

function ownSumDialog(deps: BuyDeps): QuestionDialog {
  return questionDialog(OWN_SUM, {
    endsOnCommand: true,
    take: async (ctx) => takeSum(ctx, deps),
    onGivenUp: async (ctx) => void (await ctx.reply(ctx.language.t("top-up-given-up"))),
  });
}

function takeSum(ctx: BotContext, deps: BuyDeps): AnswerOutcome {
  const { t } = ctx.language;
  const text = ctx.message?.text?.trim();
  if (text === undefined) return { kind: "passed" };
  const kopecks = parseRubles(text.replace(/\s*(?:₽|р\.?|руб\.?|rub)$/i, "").replace(/\s/g, ""));
  const offers = kopecks === undefined || kopecks < RUBLE ? [] : offersOf(kopecks, deps);
  if (offers.length === 0) return { kind: "refused", reply: () => ctx.reply(refusalOf(ctx, kopecks, deps)) };
  const [only] = offers;
  if (only && offers.length === 1) return { kind: "over", reply: () => buy(ctx, only, deps) };
  const rows = offers.map(({ till, topUp }) => [topUpButton(till.name, topUp, ctx.language)]);
  const reply_markup = new InlineKeyboard(rows);
  return { kind: "over", reply: () => ctx.reply(t("top-up-choose"), { reply_markup }) };
}

/** Names the limits of a till where the sum is outside of them. */
function refusalOf({ language }: BotContext, kopecks: Kopecks | undefined, { topUps }: BuyDeps): string {
  const { t, money } = language;
  const limits = topUps.tills.flatMap((till) => (till.sellsFreeSums && till.limits ? [till.limits] : []));
  const [first] = limits;
  if (kopecks === undefined || !first) return t("top-up-sum-wrong");
  const least = Math.min(...limits.map(({ minKopecks }) => minKopecks));
  const most = Math.max(...limits.map(({ maxKopecks }) => maxKopecks));
  return t("top-up-sum-limits", { least: money(least), most: money(most) });
}

function isWithin(kopecks: Kopecks, { minKopecks, maxKopecks }: SumLimits): boolean {
  return kopecks >= minKopecks && kopecks <= maxKopecks;
}

function offersOf(kopecks: Kopecks, { topUps }: BuyDeps) {
  return topUps.tills
    .filter(({ sellsFreeSums, limits }) => sellsFreeSums && (!limits || isWithin(kopecks, limits)))
    .flatMap((till) => {
      const topUp = till.topUpOf(kopecks);
      return topUp ? [{ till, topUp }] : [];
    });
}

interface TopUpDeps extends BuyDeps {
  drafts: Pick<Drafts, "composing">;
  cards: Pick<CardMessages, "models">;
}

/** Handles `/topup`: fixed sums, the sum that is missing, and a sum that the person types. */
export function topUpFeature(deps: TopUpDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.command("topup", (ctx) => (isPrivate(ctx) ? showMenu(ctx, deps) : sendLink(ctx, deps)));
  composer
    .command("start")
    .filter((ctx) => isPrivate(ctx) && ctx.match === START_TOP_UP)
    .use((ctx) => showMenu(ctx, deps));
  composer.use(
    taps(topUpData, (ctx, data) =>
      isPrivate(ctx) ? act(ctx, data, deps) : answerTap(ctx, ctx.language.t("tap-unknown")),
    ),
  );
  const questions = [ownSumDialog(deps)];
  return { name: "topup", commands: ["topup"], callbackPrefixes: [topUpData.prefix], questions, composer };
}

async function act(ctx: BotContext, data: TopUpData, deps: TopUpDeps): Promise<void> {
  if (isRepeated(ctx)) return answerTap(ctx);
  if (data.action === "menu") return void (await Promise.all([answerTap(ctx), showMenu(ctx, deps)]));
  if (data.action === "own") {
    await answerTap(ctx);
    await ask(ctx, OWN_SUM, null);
    return void (await ctx.reply(ctx.language.t("top-up-ask-sum")));
  }
  const offered = deps.topUps.find(data.till, data.topUp);
  if (!offered) {
    const told = answerTap(ctx, ctx.language.t("tap-top-up-changed"), { isAlert: true });
    return void (await Promise.all([told, showMenu(ctx, deps)]));
  }
  await answerTap(ctx);
  if (data.action === "buy") return buy(ctx, offered, deps);
  await agreeAndBuy(ctx, offered, deps);
  await editOrIgnore(ctx.editMessageText(ctx.language.t("consent-given"), { parse_mode: "HTML" }));
}

async function showMenu(ctx: BotContext, deps: TopUpDeps): Promise<void> {
  const { t, money } = ctx.language;
  const balanceKopecks = kopecksOf((await gatewayOf(ctx).balance()).amount);
  const missing = await missingSum(ctx, balanceKopecks, deps);
  const lines = [t("top-up-menu", { balance: money(balanceKopecks) })];
  if (deps.topUps.tills.length > 1) lines.push(t("top-up-tills"));
  if (missing > 0) lines.push(t("top-up-missing", { missing: money(missing) }));
  await ctx.reply(lines.join("\n"), { parse_mode: "HTML", reply_markup: menuKeyboard(ctx, missing, deps) });
}

function menuKeyboard({ language }: BotContext, missing: Kopecks, { topUps }: TopUpDeps): InlineKeyboard {
  const exact = topUps.tills.flatMap((till) => {
    const topUp = missing > 0 && till.sellsFreeSums ? till.topUpOf(missing) : undefined;
    return topUp ? [topUpButton(till.name, topUp, language)] : [];
  });
  const packs = topUps.tills.flatMap((till) =>
    till.packs.map((pack) => topUpButton(till.name, pack, language)),
  );
  const own = topUps.tills.some(({ sellsFreeSums }) => sellsFreeSums)
    ? [InlineKeyboard.text(language.t("button-own-sum"), topUpData.encode({ action: "own" }))]
    : [];
  return new InlineKeyboard([...exact, ...packs, ...own].map((button) => [button]));
}

/** Everybody in a group could pay an invoice that stands there. */
async function sendLink(ctx: BotContext, { topUps }: TopUpDeps): Promise<void> {
  const keyboard = new InlineKeyboard([[topUps.linkButton(ctx.language)]]);
  await ctx.reply(ctx.language.t("top-up-private"), { reply_markup: keyboard });
}

/** Returns what the balance lacks for the card that is open in the private chat. */
async function missingSum(
  ctx: BotContext,
  balanceKopecks: Kopecks,
  { drafts, cards }: { drafts: Pick<Drafts, "composing">; cards: Pick<CardMessages, "models"> },
): Promise<Kopecks> {
  const draft = drafts.composing(ctx.person.id, ctx.person.id);
  if (!draft) return NO_KOPECKS;
  const models = await cards.models(ctx, draft.type);
  const model = models.find(({ model_key }) => model_key === draft.modelKey);
  const total = model && evaluateForm(model, draft).total;
  return total === undefined ? NO_KOPECKS : leftOf(total, balanceKopecks);
}
