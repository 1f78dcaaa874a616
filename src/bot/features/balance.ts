import { Readable } from "node:stream";
import { type CommandContext, Composer, InlineKeyboard } from "grammy";
import { debtOf } from "../../accounts/ledger-store.js";
import {
  type MonthSums,
  monthSums,
  readStatement,
  type StatementEntry,
  type StatementOrder,
  type StatementPlace,
  statementPage,
} from "../../accounts/statement-store.js";
import { readPublicTitle } from "../../contract/model.js";
import { kopecksOf, rublesOf } from "../../contract/price.js";
import { previewMark } from "../card/render-card.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { isAdmin, ownWordsOnly, privateOnly, taps } from "../middleware.js";
import { type BotModules, isConnected, isManaged, type ManagedBot } from "../modules.js";
import { connectedGateway, debtLines, personText } from "../people/balance-words.js";
import { findPerson, readPersonRef, wrongPersonText } from "../people/person-ref.js";
import { ownAllowanceText } from "../people/spending.js";
import { replyUsage, type Screen, sendScreen, turnTo } from "../screens.js";
import { actionData, type DataOf, natural } from "../telegram/button-data.js";
import { uploadOf } from "../telegram/files.js";
import { isPrivate } from "../telegram/place.js";
import { alertTap, answerTap } from "../telegram/tap-answers.js";
import { cutText, escapeHtml } from "../texts/html.js";
import { localTimeHtml } from "../texts/moment.js";
import type { Language } from "../texts/texts.js";

/** The buttons of a statement: entries before and after one, and all of them as a file. */
const statementData = actionData("bs", {
  older: [natural("personId"), "o", natural("entryId")],
  newer: [natural("personId"), "n", natural("entryId")],
  file: [natural("personId"), "f"],
});
type StatementData = DataOf<typeof statementData>;

const TITLE_MAX = 60;
const NOTE_MAX = 80;

/** Composes one line of a statement as HTML: when, what, the sum and what became of it. */
export function entryHtml(entry: StatementEntry, language: Language): string {
  const { amount, created_at } = entry;
  const sum = `${amount < 0 ? "−" : "+"}${language.money(Math.abs(amount))}`;
  const parts = [entryWords(entry, language), sum, outcomeWords(entry, language)].filter(Boolean);
  return `${localTimeHtml(created_at, language)}\n${escapeHtml(parts.join(" · "))}`;
}

/** Says what an entry was for, as plain text. */
function entryWords({ kind, cause, note, order }: StatementEntry, language: Language): string {
  const { t, has } = language;
  if (kind === "refund")
    return order ? t("entry-refund-of", { order: orderWords(order, language) }) : t("entry-refund");
  if (order) return orderWords(order, language);
  const ofCause = `entry-${kind}-${cause}`;
  if (cause !== null && has(ofCause)) return t(ofCause);
  const words = t(`entry-${kind}`);
  return note === null ? words : `${words}: ${cutText(note.replace(/\s+/gu, " "), NOTE_MAX)}`;
}

/** Says what became of a charged order. Undefined for one that was made, and for other entries. */
function outcomeWords({ kind, amount, order }: StatementEntry, { t, money }: Language) {
  if (kind !== "charge" || !order) return undefined;
  if (order.returnedKopecks >= -amount) return t("entry-returned");
  if (order.returnedKopecks > 0) return t("entry-returned-part", { sum: money(order.returnedKopecks) });
  return order.isOpen ? t("entry-open") : undefined;
}

/** Sums a month up, as plain text. Undefined for a month without entries. */
function monthWords(sums: MonthSums, now: number, { t, money, code }: Language): string | undefined {
  const kinds = ["charge", "refund", "credit", "debit"] as const;
  const parts = kinds
    .filter((kind) => sums[kind] !== 0)
    .map((kind) => t(`month-${kind}`, { sum: money(Math.abs(sums[kind])) }));
  if (parts.length === 0) return undefined;
  const month = new Intl.DateTimeFormat(code, { month: "long", year: "numeric", timeZone: "UTC" }).format(
    now,
  );
  const capitalized = month.charAt(0).toLocaleUpperCase(code) + month.slice(1);
  return t("month-sums", { month: capitalized, sums: parts.join(", ") });
}

function orderWords(order: StatementOrder, language: Language): string {
  const { type, durationSec, count, isByApi } = order;
  const { t, number } = language;
  const { title, isPreview } = readPublicTitle(order.title);
  const name = cutText(title, TITLE_MAX);
  const parts = [isPreview ? `${name} ${previewMark(type, language)}` : name];
  if (durationSec !== null) parts.push(t("amount-duration-sec", { value: number(durationSec) }));
  const words = parts.join(", ");
  return [words, ...(count > 1 ? [`×${count}`] : []), ...(isByApi ? ["(API)"] : [])].join(" ");
}

const PAGE_ENTRIES = 10;

/** Composes a page of the person's entries. Undefined where there are none. */
async function statementScreen(
  { person, language }: BotContext,
  place: StatementPlace,
  { clock, database, topUps, accounts }: ManagedBot,
): Promise<Screen | undefined> {
  const { t } = language;
  const accountId = await accounts.users.idOf(person);
  const page = statementPage(database, accountId, place, PAGE_ENTRIES);
  if (page.entries.length === 0) return undefined;
  const now = clock.now();
  const month = monthWords(monthSums(database, accountId, now), now, language);
  const entries = page.entries.map((entry) => entryHtml(entry, language));
  const head = [`<b>${t("statement-title")}</b>`, ...(month === undefined ? [] : [month])];
  const keyboard = new InlineKeyboard();
  const personId = person.id;
  const [newest, oldest] = [page.entries[0], page.entries.at(-1)];
  const to = (action: "older" | "newer", entryId: number) =>
    statementData.encode({ action, personId, entryId });
  if (page.hasNewer && newest) keyboard.text(t("button-newer"), to("newer", newest.id));
  if (page.hasOlder && oldest) keyboard.text(t("button-older"), to("older", oldest.id));
  keyboard.row().text(t("button-statement-file"), statementData.encode({ action: "file", personId }));
  if (topUps.isOn) keyboard.row(topUps.menuButton(language));
  return { text: [head.join("\n"), ...entries].join("\n\n"), keyboard };
}

const BYTE_ORDER_MARK = "\ufeff";
const COLUMNS = ["time", "what", "sum", "outcome", "balance"] as const;
/** Beginnings that spreadsheets take for a formula, the full-width signs included. */
const FORMULA = /^[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;

/** Streams entries as CSV in UTF-8: with the separators that spreadsheets expect in the person's language. */
export function statementFile(
  chunks: AsyncIterable<readonly StatementEntry[]>,
  language: Language,
): Readable {
  return Readable.from(linesOf(chunks, language), { objectMode: false });
}

async function* linesOf(chunks: AsyncIterable<readonly StatementEntry[]>, language: Language) {
  const separator = decimalSign(language) === "," ? ";" : ",";
  const lineOf = (cells: readonly string[]) => `${cells.join(separator)}\r\n`;
  yield Buffer.from(BYTE_ORDER_MARK + lineOf(COLUMNS.map((name) => textCell(language.t(`column-${name}`)))));
  for await (const entries of chunks) {
    const lines = entries.map((entry) =>
      lineOf([
        new Date(entry.created_at).toISOString().slice(0, 19).replace("T", " "),
        textCell(entryWords(entry, language)),
        sumCell(entry.amount, language),
        textCell(outcomeWords(entry, language) ?? ""),
        sumCell(entry.balance_after, language),
      ]),
    );
    yield Buffer.from(lines.join(""));
  }
}

/** Quotes a text, so that no spreadsheet runs it as a formula. */
export function textCell(text: string): string {
  const defused = FORMULA.test(text) ? `'${text}` : text;
  return `"${defused.replaceAll('"', '""')}"`;
}

function sumCell(kopecks: number, language: Language): string {
  return rublesOf(kopecks).toFixed(2).replace(".", decimalSign(language));
}

function decimalSign({ number }: Language): string {
  return number(0.5).includes(",") ? "," : ".";
}

/** Entries of a file, which keep it below 20 MB. */
const FILE_ENTRIES_MAX = 100_000;

/** Answers the buttons of statements: other pages, and all entries as a file. */
function statementTaps(bot: ManagedBot): (ctx: BotContext, data: StatementData) => Promise<void> {
  const writing = new Set<number>();
  return async (ctx, data) => {
    const { personId } = data;
    const { t } = ctx.language;
    if (personId !== ctx.person.id || !isPrivate(ctx)) return alertTap(ctx, t("tap-not-yours"));
    if (data.action === "older") return turn(ctx, { olderThan: data.entryId }, bot);
    if (data.action === "newer") return turn(ctx, { newerThan: data.entryId }, bot);
    if (writing.has(personId)) return answerTap(ctx, t("statement-file-coming"));
    writing.add(personId);
    try {
      const { clock, database, accounts } = bot;
      const accountId = await accounts.users.idOf(ctx.person);
      const day = new Date(clock.now()).toISOString().slice(0, 10);
      const read = () => readStatement(database, accountId, FILE_ENTRIES_MAX);
      const file = uploadOf(async () => statementFile(read(), ctx.language), `atelier-${day}.csv`);
      const caption = t("statement-file", { count: FILE_ENTRIES_MAX });
      const sent = ctx.replyWithDocument(file, { caption });
      await Promise.all([answerTap(ctx, t("statement-file-coming")), sent]);
    } finally {
      writing.delete(personId);
    }
  };
}

async function turn(ctx: BotContext, place: StatementPlace, bot: ManagedBot): Promise<void> {
  const screen = await statementScreen(ctx, place, bot);
  if (!screen) return answerTap(ctx, ctx.language.t("tap-old-card"));
  const head = await ownBalanceHtml(ctx, false, bot);
  await turnTo(ctx, { ...screen, text: `${head}\n\n${screen.text}` });
}

/** Answers `/balance` with the person's balance and what it was spent on. An admin may ask for another person's by id or @name. */
export function balanceFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  // A group must not see a person's balance.
  const command = composer.command("balance", privateOnly("balance-private-only"));
  const ofOther = command.filter(asksForOther).filter(isAdmin(bot.adminIds));
  if (isManaged(bot)) ofOther.use(ownWordsOnly, (ctx) => showBalanceOf(ctx, bot));
  if (isConnected(bot))
    ofOther.use(async (ctx) => void (await ctx.reply(ctx.language.t("balance-elsewhere-own"))));
  command.use(async (ctx) => {
    const head = await ownBalanceHtml(ctx, asksForOther(ctx), bot);
    const screen = isManaged(bot) && (await statementScreen(ctx, undefined, bot));
    if (screen) return sendScreen(ctx, { ...screen, text: `${head}\n\n${screen.text}` });
    const keyboard = bot.topUps.isOn
      ? new InlineKeyboard([[bot.topUps.menuButton(ctx.language)]])
      : undefined;
    await sendScreen(ctx, { text: head, keyboard });
  });
  if (isManaged(bot)) composer.use(taps(statementData, statementTaps(bot)));
  else {
    // Nothing of the kind is here, and somebody who looks for it is told where.
    const key = isConnected(bot) ? "balance-elsewhere-own" : "balance-elsewhere";
    composer.command(["topup", "promo", "invite"], (ctx) => ctx.reply(ctx.language.t(key)));
  }
  return { commands: ["balance"], composer };
}

function asksForOther({ match }: CommandContext<BotContext>): boolean {
  return match.trim() !== "";
}

async function ownBalanceHtml(ctx: BotContext, isOtherAsked: boolean, bot: BotModules): Promise<string> {
  const { supportContact, accounts, spending, topUps } = bot;
  const { t, money } = ctx.language;
  const { amount, owed = 0 } = await connectedGateway(ctx).balance();
  const isShared = accounts.kind === "shared";
  const balance = money(kopecksOf(amount));
  const lines = [t(isShared ? "balance-now-shared" : "balance-now", { balance })];
  lines.push(...debtLines(kopecksOf(owed), ctx.language));
  const allowance = spending && ownAllowanceText(spending.allowanceOf(ctx.person.id), ctx.language);
  if (allowance) lines.push(allowance);
  if (isOtherAsked) lines.push(t(isShared ? "balance-elsewhere" : "balance-own-only"));
  // An admin may need the id, since names change and can be copied.
  if (accounts.kind !== "connected") lines.push(t("id-person", { id: String(ctx.person.id) }));
  if (supportContact && !topUps.isOn) lines.push(t("money-ask", { contact: escapeHtml(supportContact) }));
  return lines.join("\n");
}

async function showBalanceOf(ctx: CommandContext<BotContext>, bot: ManagedBot): Promise<void> {
  const { t, money } = ctx.language;
  const [word = ""] = ctx.match.trim().split(/\s+/);
  const ref = readPersonRef(word, bot.people);
  if (!ref) return replyUsage(ctx, "balance", wrongPersonText(word, t));
  const found = await findPerson(ref, bot, t);
  if ("fault" in found) return void (await ctx.reply(found.fault));
  const kopecks = await bot.accounts.users.balanceOf(found.person.id);
  const whose = { person: personText(found.person) };
  const words =
    kopecks === undefined ? t("balance-none", whose) : t("balance-of", { ...whose, balance: money(kopecks) });
  const debt = debtLines(debtOf(bot.database, bot.accounts.users.find(found.person.id) ?? 0), ctx.language);
  await ctx.reply([words, ...debt].join("\n"), { parse_mode: "HTML" });
}
