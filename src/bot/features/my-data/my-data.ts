import { Composer, InlineKeyboard, InputFile } from "grammy";
import { kopecksOf } from "../../../contract/money.js";
import type { Database } from "../../../database/database.js";
import type { Logger } from "../../../platform/logger.js";
import type { DataSection, PersonalData } from "../../../ports/personal-data.js";
import { gatewayOf } from "../../account-needed.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { taps } from "../../middleware/taps.js";
import { hasOpenOrders } from "../../orders/store/erase-orders.js";
import { ownOrders } from "../../orders/store/own-orders.js";
import type { OwnDataParts } from "../../own-data.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { isPrivate } from "../../telegram/place.js";
import { answerTap } from "../../telegram/tap-answers.js";
import type { SettingsEntry } from "../settings/settings.js";
import { jsonDocument } from "./json-document.js";
import { myDataTap } from "./my-data-data.js";

/** Telegram takes documents of 50 MB. */
const DOCUMENT_BYTES_MAX = 45 * 1024 * 1024;

/** The entry of `/settings`. */
export const MY_DATA_ENTRY: SettingsEntry = {
  label: "button-my-data",
  data: myDataTap.encode({ action: "show" }),
};

interface MyDataDeps {
  database: Database;
  ownData: OwnDataParts;
  personalData: PersonalData;
  logger: Logger;
}

interface Screen {
  text: string;
  keyboard: InlineKeyboard;
}

/** Gives people what is stored about them as a file, and forgets them on request. In private chats only. */
export function myDataFeature(deps: MyDataDeps): Feature {
  const composer = new Composer<BotContext>();
  const exporting = new Set<number>();
  composer.use(
    taps(myDataTap, async (ctx, { action }, next) => {
      if (!isPrivate(ctx)) return next();
      if (action === "show") return show(ctx, mainScreen(ctx));
      if (action === "ask") return show(ctx, await forgetScreen(ctx, deps));
      if (action === "export") return sendOwnData(ctx, deps, exporting);
      return forget(ctx, deps);
    }),
  );
  return { name: "my-data", callbackPrefixes: [myDataTap.prefix], composer };
}

async function show(ctx: BotContext, { text, keyboard }: Screen): Promise<void> {
  const edit = ctx.editMessageText(text, { parse_mode: "HTML", reply_markup: keyboard });
  await Promise.all([answerTap(ctx), editOrIgnore(edit)]);
}

function mainScreen({ language: { t } }: BotContext): Screen {
  const keyboard = new InlineKeyboard()
    .text(t("button-my-data-export"), myDataTap.encode({ action: "export" }))
    .row()
    .text(t("button-my-data-forget"), myDataTap.encode({ action: "ask" }))
    .danger();
  return { text: t("my-data-about"), keyboard };
}

/** Asks before anything is erased, and shows the balance that stays. */
async function forgetScreen(ctx: BotContext, { database }: MyDataDeps): Promise<Screen> {
  const { t, money } = ctx.language;
  const { amount } = await gatewayOf(ctx).balance();
  const lines = [t("my-data-forget-ask")];
  if (amount > 0) lines.push(t("my-data-forget-balance", { balance: money(kopecksOf(amount)) }));
  if (hasOpenOrders(database, ctx.person.id)) lines.push(t("my-data-forget-orders"));
  const keyboard = new InlineKeyboard()
    .text(t("button-my-data-forget-all"), myDataTap.encode({ action: "forget" }))
    .danger()
    .row()
    .text(t("button-back"), myDataTap.encode({ action: "show" }));
  return { text: lines.join("\n\n"), keyboard };
}

async function forget(ctx: BotContext, { personalData }: MyDataDeps): Promise<void> {
  await personalData.askToErase(ctx.person.id, `telegram:${ctx.person.id}`);
  await show(ctx, { text: ctx.language.t("my-data-forget-begun"), keyboard: new InlineKeyboard() });
}

async function sendOwnData(ctx: BotContext, deps: MyDataDeps, exporting: Set<number>): Promise<void> {
  const { person, language } = ctx;
  if (exporting.has(person.id)) return answerTap(ctx, language.t("my-data-export-begun"));
  exporting.add(person.id);
  try {
    await answerTap(ctx, language.t("my-data-export-begun"));
    const read = () => jsonDocument(sectionsOf(person.id, deps), DOCUMENT_BYTES_MAX);
    await ctx.replyWithDocument(new InputFile(read, "my-data.json"));
    deps.logger.info({ user_id: person.id }, "data exported");
  } finally {
    exporting.delete(person.id);
  }
}

function* sectionsOf(userId: number, { database, ownData, personalData }: MyDataDeps): Iterable<DataSection> {
  yield* ownData.sections(userId);
  yield* personalData.sections(userId);
  yield ownOrders(database, userId);
}
