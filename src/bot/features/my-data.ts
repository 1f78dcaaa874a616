import { Composer, InlineKeyboard, InputFile } from "grammy";
import { kopecksOf } from "../../contract/price.js";
import type { Transaction } from "../../database/database.js";
import type { DataSection } from "../../gather/personal-data-service.js";
import { Recurring } from "../../platform/retry.js";
import { Slices } from "../../platform/slices.js";
import { actorOf, type BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { taps } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import { eraseOrders, hasOpenOrders, hasUnerasedOrders, ownOrders } from "../orders/own-orders.js";
import { connectedGateway } from "../people/balance-words.js";
import { confirmScreen, type Screen, turnTo } from "../screens.js";
import { buttonData, marked } from "../telegram/button-data.js";
import { isPrivate } from "../telegram/place.js";
import { answerTap } from "../telegram/tap-answers.js";

/** `md:<action>`. The person is whoever taps: the buttons are in private chats only. */
const myDataTap = buttonData("md", [marked("action", { show: "s", export: "e", ask: "a", forget: "f" })]);

const CHUNK_CHARACTERS = 64 * 1024;
/** One for all people: several who ask at once take turns. */
const slices = new Slices();

/**
 * Writes sections as one JSON object, a list of rows by the name of each. Rows are read as they are written. A document
 * that would be longer than `bytesMax` ends before that, with `"cut": true`. The event loop goes on every few ms.
 */
export async function* jsonDocument(
  sections: Iterable<DataSection>,
  bytesMax: number,
): AsyncGenerator<Buffer> {
  const pause = slices.begin();
  await pause();
  let written = 0;
  let chunk = "{";
  let isCut = false;
  for (const { name, rows } of sections) {
    if (isCut) break;
    chunk += `${written + chunk.length === 1 ? "" : ","}\n${JSON.stringify(name)}:[`;
    let comma = "";
    for (const row of rows) {
      await pause();
      const line = `${comma}\n${JSON.stringify(row)}`;
      // A character has at most three bytes for each UTF-16 unit.
      isCut = written + 3 * (chunk.length + line.length) > bytesMax;
      if (isCut) break;
      chunk += line;
      comma = ",";
      if (chunk.length < CHUNK_CHARACTERS) continue;
      const bytes = Buffer.from(chunk);
      written += bytes.length;
      yield bytes;
      chunk = "";
    }
    chunk += "]";
  }
  yield Buffer.from(`${chunk}${isCut ? ',\n"cut":true' : ""}\n}\n`);
}

const LOOK_INTERVAL_MS = 5000;
const STEP_ROWS = 100;

/**
 * Erases people who asked for it, as soon as their orders have ended. A repeat goes on after a crash: each step erases
 * what is left, and the wish is removed last.
 */
export function erasures(bot: ManagedBot): Recurring {
  const { database, clock, logger } = bot;
  const { personalData } = bot.accounts;
  /** Words that were erased may be in the database's log, also those of before a crash. */
  let isLogFull = true;
  return new Recurring({
    clock,
    everyMs: LOOK_INTERVAL_MS,
    wokenBy: (wake) => database.watch(["erasure"], wake),
    async work(signal) {
      for (const userId of personalData.toErase()) {
        if (signal.aborted) return;
        if (hasOpenOrders(database, userId) || personalData.hasOpenJobs(userId)) continue;
        try {
          if (await erase(userId, bot, signal)) isLogFull = true;
        } catch (error) {
          logger.error({ user_id: userId, err: error }, "person not erased yet, trying again");
        }
      }
      // Tried again later while another process, such as a backup, reads the log.
      if (isLogFull && !signal.aborted) isLogFull = !database.emptyLog();
    },
    isIdle: () => !isLogFull && personalData.toErase().length === 0,
    onFailure: (error) => logger.warn({ err: error }, "people not erased yet, trying again"),
  });
}

/** Resolves to false where the stop has come before all was erased, or the person has ordered meanwhile. */
async function erase(userId: number, bot: ManagedBot, signal: AbortSignal): Promise<boolean> {
  const { database, ownData, drafts, languageOf, api, logger } = bot;
  const { personalData } = bot.accounts;
  const { t } = languageOf(userId);
  const eraseSome = (tx: Transaction) =>
    eraseOrders(tx, userId, STEP_ROWS) + drafts.eraseSome(tx, userId, STEP_ROWS);
  while (!signal.aborted) if ((await database.write("erasure:orders", eraseSome)) === 0) break;
  await personalData.erase(userId, signal);
  if (signal.aborted) return false;
  await database.write("erasure:person", (tx) => {
    for (const part of ownData) part.eraseIn(tx, userId);
  });
  const isErased = await personalData.finishErasure(userId, (tx) => hasUnerasedOrders(tx, userId));
  if (!isErased) return false;
  await api
    .sendMessage(userId, t("my-data-forgotten"))
    .catch((error: unknown) => logger.info({ user_id: userId, err: error }, "erased person not told"));
  return true;
}

/** Telegram takes documents of 50 MB. */
const DOCUMENT_BYTES_MAX = 45 * 1024 * 1024;

/** Gives people what is stored about them as a file, and forgets them on request. In private chats only. */
export function myDataFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  const exporting = new Set<number>();
  composer.filter(isPrivate).use(
    taps(myDataTap, async (ctx, { action }) => {
      const { t } = ctx.language;
      if (action === "ask") return turnTo(ctx, await forgetScreen(ctx, bot));
      if (action === "export") return sendOwnData(ctx, bot, exporting);
      if (action === "forget") {
        await bot.accounts.personalData.askToErase(ctx.person.id, actorOf(ctx));
        return turnTo(ctx, { text: t("my-data-forget-begun") });
      }
      const keyboard = new InlineKeyboard()
        .text(t("button-my-data-export"), myDataTap.encode({ action: "export" }))
        .row()
        .text(t("button-my-data-forget"), myDataTap.encode({ action: "ask" }))
        .danger();
      return turnTo(ctx, { text: t("my-data-about"), keyboard });
    }),
  );
  const settings = {
    label: ({ language: { t } }: BotContext) => t("button-my-data"),
    data: myDataTap.encode({ action: "show" }),
  };
  return { settings, composer };
}

async function forgetScreen(ctx: BotContext, { database }: ManagedBot): Promise<Screen> {
  const { t, money } = ctx.language;
  const { amount } = await connectedGateway(ctx).balance();
  const lines = [t("my-data-forget-ask")];
  if (amount > 0) lines.push(t("my-data-forget-balance", { balance: money(kopecksOf(amount)) }));
  if (hasOpenOrders(database, ctx.person.id)) lines.push(t("my-data-forget-orders"));
  const yes = { label: t("button-my-data-forget-all"), data: myDataTap.encode({ action: "forget" }) };
  const back = { data: myDataTap.encode({ action: "show" }) };
  return confirmScreen(lines.join("\n\n"), { yes, back }, t);
}

async function sendOwnData(ctx: BotContext, bot: ManagedBot, exporting: Set<number>): Promise<void> {
  const { person, language } = ctx;
  if (exporting.has(person.id)) return answerTap(ctx, language.t("my-data-export-begun"));
  exporting.add(person.id);
  try {
    await answerTap(ctx, language.t("my-data-export-begun"));
    const read = () => jsonDocument(sectionsOf(person.id, bot), DOCUMENT_BYTES_MAX);
    const caption = language.t("my-data-file");
    await ctx.replyWithDocument(new InputFile(read, "my-data.json"), { caption });
    bot.logger.info({ user_id: person.id }, "data exported");
  } finally {
    exporting.delete(person.id);
  }
}

function* sectionsOf(
  userId: number,
  { database, ownData, accounts: { personalData } }: ManagedBot,
): Iterable<DataSection> {
  for (const part of ownData) yield* part.sections?.(userId) ?? [];
  yield* personalData.sections(userId);
  yield ownOrders(database, userId);
}
